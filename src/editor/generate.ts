import { type TextDocument, type Uri, window } from 'vscode';
import type { Client, Generation } from '../service/client.ts';
import type { Credentials } from '../service/credentials.ts';
import type { Retry } from '../service/exchange.ts';
import { readSettings, type Settings } from '../settings.ts';
import { retryText } from '../ui/messages.ts';
import { cancellable } from '../ui/progress.ts';
import { Insertion } from './insertion.ts';
import { type LastResult, offerResult } from './lastResult.ts';
import { captureTarget } from './target.ts';

/** What the main job needs from the rest of the extension. */
export interface GenerateOptions {
  readonly lastResult: LastResult;
  /**
   * Usable credentials for text of this document, after asking the user for what is missing;
   * undefined if they gave up.
   */
  readonly credentials: (document: Uri) => Promise<Credentials | undefined>;
  readonly client: (credentials: Credentials, settings: Settings) => Promise<Client>;
  readonly onStart: () => GenerationWatch;
  /** A signal that aborts when the key is gone, in this window or another. */
  readonly signOut: () => AbortSignal;
  /** Shows a failure. @returns true once the user wants another try; false if they do not */
  readonly report: (error: unknown, used: Used) => Promise<boolean>;
}

/** What a generation was made with. */
export interface Used {
  /** What the text is from: its folder may have brought the credentials. */
  readonly document: Uri;
  readonly credentials: Credentials;
  readonly settings: Settings;
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
 * document while it streams. Text that came before a failure stays; a retry takes its place.
 */
export async function generateFromSelection(options: GenerateOptions): Promise<void> {
  const editor = window.activeTextEditor;
  if (!editor) {
    return inform('open a document and select text first.');
  }
  const settings = readSettings(editor.document.uri);
  const target = captureTarget(editor, settings.insertMode);
  // From here on the place is followed: what comes next can take the user minutes.
  const insertion = new Insertion(target);
  try {
    const prompt = target.selectedText || (await askPrompt());
    if (prompt === undefined) return;
    if (prompt.trim() === '') return inform('there is nothing but blanks to send.');
    const job = { settings, prompt, insertion, document: target.document };
    while (!(await isDone(options, job))) insertion.restart();
  } finally {
    insertion.dispose();
  }
}

interface Job {
  readonly settings: Settings;
  readonly prompt: string;
  readonly insertion: Insertion;
  readonly document: TextDocument;
}

/** One try. @returns false if the user wants another one */
async function isDone(options: GenerateOptions, job: Job): Promise<boolean> {
  const credentials = await options.credentials(job.document.uri);
  if (!credentials) return true;
  // Of this moment: a key that is deleted while the service loads must not be sent any more.
  const signedOut = options.signOut();
  const { result, append } = options.lastResult.begin(job.document.languageId);
  const onText = (text: string) => {
    append(text);
    job.insertion.append(text);
  };
  const client = await options.client(credentials, job.settings);
  const outcome = await generate(options, client, { ...job, signedOut }, onText).catch(
    (error: unknown) => ({
      error,
    }),
  );
  if (!(await job.insertion.finish())) void offerResult(result);
  if ('error' in outcome) {
    const { settings, document } = job;
    const used = { document: document.uri, credentials, settings };
    return !(await options.report(outcome.error, used));
  }
  announce(outcome);
  return true;
}

async function generate(
  { onStart }: GenerateOptions,
  client: Client,
  { prompt, settings, signedOut }: Job & { readonly signedOut: AbortSignal },
  onText: (text: string) => void,
): Promise<Generation> {
  const watch = onStart();
  try {
    const generation = await cancellable('generating…', (cancel, say) =>
      client.generateText(prompt, settings.parameters, {
        signal: AbortSignal.any([cancel, signedOut]),
        onText: (text) => {
          watch.onText();
          onText(text);
        },
        onRetry: (retry) => {
          watch.onRetry(retry);
          say(retryText(retry));
        },
      }),
    );
    watch.onDone(generation);
    return generation;
  } catch (error) {
    watch.onFailed(error);
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

/** What is worth knowing about an answer that came as it should. */
function announce({ text, stopReason }: Generation): void {
  if (stopReason === 'max_tokens') {
    inform(
      'the service cut the answer, since it reached the number of new tokens that the parameters allow.',
    );
  } else if (stopReason === 'time_limit') {
    inform('the service cut the answer, since it reached a time limit.');
  } else if (text === '') {
    inform('the model had nothing to say to this text. Another prompt or model may do better.');
  }
}

function inform(text: string): void {
  void window.showInformationMessage(`Hosted Model: ${text}`);
}
