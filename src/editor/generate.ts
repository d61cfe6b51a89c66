import { window } from 'vscode';
import type { Client, Generation } from '../service/client.ts';
import type { Credentials } from '../service/credentials.ts';
import { isKind } from '../service/errors.ts';
import type { Retry } from '../service/exchange.ts';
import { readSettings, type Settings } from '../settings.ts';
import { cancellable } from '../ui/progress.ts';
import { Insertion } from './insertion.ts';
import type { LastResult } from './lastResult.ts';
import { captureTarget, type Target } from './target.ts';

/** What the main job needs from the rest of the extension. */
export interface GenerateOptions {
  readonly lastResult: LastResult;
  /** Usable credentials, after asking the user for what is missing; undefined if they gave up. */
  readonly credentials: () => Promise<Credentials | undefined>;
  readonly client: (credentials: Credentials, settings: Settings) => Promise<Client>;
  readonly onStart: () => GenerationWatch;
  /** Aborts when the key is gone, in this window or another. */
  readonly signOut: AbortSignal;
}

/** Is told how one generation goes; for the status item and the log. */
export interface GenerationWatch {
  onRetry(retry: Retry): void;
  onText(): void;
  onDone(generation: Generation): void;
  onFailed(error: unknown): void;
}

/**
 * Sends the selected text, or with no selection a typed prompt, and writes the answer into the
 * document while it streams.
 * @throws {ServiceError} what the service failed with; text that came before stays in the document
 */
export async function generateFromSelection(options: GenerateOptions): Promise<void> {
  const editor = window.activeTextEditor;
  if (!editor) {
    await window.showInformationMessage('Hosted Model: open a document and select text first.');
    return;
  }
  const settings = readSettings(editor.document.uri);
  const target = captureTarget(editor, settings.insertMode);
  const prompt = target.selectedText || (await askPrompt());
  if (!prompt?.trim()) return;
  const credentials = await options.credentials();
  if (!credentials) return;
  const insertion = new Insertion(target);
  try {
    const generation = await generate(options, {
      settings,
      credentials,
      prompt,
      target,
      insertion,
    });
    if (generation) announceCut(generation);
  } finally {
    const placed = await insertion.finish();
    insertion.dispose();
    if (!placed) void options.lastResult.offer();
  }
}

interface Job {
  readonly settings: Settings;
  readonly credentials: Credentials;
  readonly prompt: string;
  readonly target: Target;
  readonly insertion: Insertion;
}

/** @returns undefined if the user cancelled */
async function generate(options: GenerateOptions, job: Job): Promise<Generation | undefined> {
  const { lastResult, signOut } = options;
  const client = await options.client(job.credentials, job.settings);
  const watch = options.onStart();
  lastResult.begin(job.target.document.languageId);
  try {
    const generation = await cancellable('generating…', (cancel, say) =>
      client.generateText(job.prompt, job.settings.parameters, {
        signal: AbortSignal.any([cancel, signOut]),
        onText: (text) => {
          watch.onText();
          lastResult.append(text);
          job.insertion.append(text);
        },
        onRetry: (retry) => {
          watch.onRetry(retry);
          say(retryMessage(retry));
        },
      }),
    );
    watch.onDone(generation);
    return generation;
  } catch (error) {
    watch.onFailed(error);
    if (isKind(error, 'cancelled')) return undefined;
    throw error;
  }
}

function askPrompt(): Thenable<string | undefined> {
  return window.showInputBox({
    title: 'Generate',
    prompt: 'Nothing is selected: the answer goes to the cursor.',
    placeHolder: 'What shall the model write?',
    ignoreFocusOut: true,
  });
}

function retryMessage({ retry, waitMs, error }: Retry): string {
  const seconds = Math.max(1, Math.round(waitMs / 1_000));
  const why = error.details.status ?? error.details.code ?? 'no answer';
  return `attempt ${retry + 1} of 4 in ${seconds} s (${why})`;
}

function announceCut({ stopReason }: Generation): void {
  const why =
    stopReason === 'max_tokens'
      ? 'it reached the number of new tokens that the parameters allow'
      : stopReason === 'time_limit'
        ? 'it reached the time limit of the parameters or the plan'
        : undefined;
  if (why)
    void window.showInformationMessage(`Hosted Model: the service cut the answer, since ${why}.`);
}
