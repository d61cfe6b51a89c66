import * as vscode from 'vscode';
import {
  CancellationError,
  type CancellationToken,
  type LanguageModelChatInformation,
  type LanguageModelChatRequestMessage,
  LanguageModelDataPart,
  LanguageModelError,
  type LanguageModelResponsePart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  type Memento,
  type Progress,
  type ProvideLanguageModelChatResponseOptions,
  window,
  workspace,
} from 'vscode';
import type { CredentialAccess } from '../credentials/access.ts';
import { onlyFolder } from '../credentials/folders.ts';
import type { DiagnosisDeps } from '../diagnostics/copyReport.ts';
import { noteFailure } from '../diagnostics/reportFailure.ts';
import type { ChatAnswer } from '../service/client.ts';
import type { Credentials } from '../service/credentials.ts';
import { isKind } from '../service/errors.ts';
import type { ToolCall } from '../service/generation/conversation.ts';
import { estimateTokens } from '../service/models/modelLimits.ts';
import type { Model } from '../service/models/modelList.ts';
import type { ModelSource } from '../service/models/models.ts';
import { isAiDisabled, readSettings, type Settings } from '../settings.ts';
import type { GenerationWatch } from '../status/generationWatch.ts';
import { ChatCallers } from './chatCallers.ts';
import * as texts from './chatMessages.ts';
import { ChatModels } from './chatModels.ts';
import { conversationOf, textOfMessage } from './conversationMapping.ts';

/** VS Code's chat, agents and other extensions on the hosted model. */

export interface ChatDeps extends DiagnosisDeps {
  readonly globalState: Memento;
  readonly access: () => Promise<CredentialAccess>;
  readonly watches: () => Promise<() => GenerationWatch>;
}

/** What a request is made with. There is no document, so that what is in front has no say. */
interface ChatSource {
  readonly credentials: Credentials;
  readonly settings: Settings;
}

/** A sentence of ours, which the chat shows as it is. */
class ChatRefusal extends Error {}

export class ChatProvider {
  readonly models: ChatModels;
  readonly callers: ChatCallers;
  readonly #deps: ChatDeps;
  readonly #onModelsChange: () => void;
  #hasGroup = false;

  /** @param onModelsChange has VS Code ask for the models again */
  constructor(deps: ChatDeps, extensionId: string, onModelsChange: () => void) {
    this.#deps = deps;
    this.#onModelsChange = onModelsChange;
    const { globalState } = deps;
    this.models = new ChatModels(globalState, Date.now);
    this.callers = new ChatCallers({
      state: globalState,
      ownId: extensionId,
      fingerprintOf: async (credentials) => (await deps.access()).fingerprintOf(credentials),
      ask: askAboutCaller,
    });
  }

  /** Whether VS Code had a provider group of ours when it asked for the models last. */
  get hasGroup(): boolean {
    return this.#hasGroup;
  }

  /**
   * The models to offer, without a request or a question. VS Code asks for each group, and once
   * without one: the answers would be added up, so that only the latter gets them.
   */
  async information(options: object): Promise<LanguageModelChatInformation[]> {
    this.#hasGroup = Reflect.get(options, 'configuration') !== undefined;
    if (this.#hasGroup || !workspace.isTrusted || isAiDisabled()) return [];
    const source = await this.source();
    return source ? this.models.information(source.credentials, source.settings) : [];
  }

  /** As often as VS Code counts, thousands of times for one prompt. */
  count(text: string | LanguageModelChatRequestMessage): number {
    return estimateTokens(typeof text === 'string' ? text : textOfMessage(text));
  }

  /** What may be used for chat now; undefined where something is missing or waits for a yes. */
  async source(): Promise<ChatSource | undefined> {
    const choice = await (await this.#deps.access()).lookWithoutDocument();
    const settings = readSettings(onlyFolder()?.uri);
    return choice.kind === 'ready' ? { credentials: choice.credentials, settings } : undefined;
  }

  /** @throws an error whose message is a sentence, without a stack: the chat shows both */
  async respond(
    model: Pick<LanguageModelChatInformation, 'id'>,
    messages: readonly LanguageModelChatRequestMessage[],
    options: ProvideLanguageModelChatResponseOptions,
    progress: Progress<LanguageModelResponsePart>,
    token: CancellationToken,
  ): Promise<void> {
    const caller: unknown = Reflect.get(options, 'requestInitiator');
    const callerId = typeof caller === 'string' ? caller.toLowerCase() : '';
    const source = await this.source();
    try {
      if (!source) throw new ChatRefusal(texts.NOT_SET_UP);
      if (!(await this.callers.mayCall(callerId, source.credentials))) {
        throw new ChatRefusal(texts.TOO_OFTEN);
      }
      const modelled = { ...source.settings, modelId: model.id };
      const asked = { ...source, settings: modelled };
      const answer = await this.#generate(asked, messages, options, progress, token);
      report(answer, progress);
      await this.refreshIfStale(source);
    } catch (error) {
      throw await this.#shown(error, source, callerId);
    }
  }

  /** Looks at the list of the service again; nobody waits for it, and nobody is told of a failure. */
  async refreshIfStale({ credentials, settings }: ChatSource): Promise<void> {
    if (!this.models.isStale(credentials, settings.operation)) return;
    void this.refresh({ credentials, settings }, this.#deps.signOutSignal).catch(() => {});
  }

  /** @throws {ServiceError} as the service failed */
  async refresh({ credentials, settings }: ChatSource, signal: AbortSignal): Promise<void> {
    const { operation, modelId } = settings;
    const runtime = await this.#deps.runtime();
    const from = { ...credentials, operation };
    const { models } = await runtime.listModels(from, modelId, signal);
    await this.keep(from, models);
  }

  /** Keeps what a service has listed, and offers it. */
  async keep(
    { serviceUrl, operation }: Pick<ModelSource, 'serviceUrl' | 'operation'>,
    models: readonly Model[],
  ): Promise<void> {
    await this.models.keep({ serviceUrl }, operation, models);
    this.#onModelsChange();
  }

  async #generate(
    { credentials, settings }: ChatSource,
    messages: readonly LanguageModelChatRequestMessage[],
    options: ProvideLanguageModelChatResponseOptions,
    progress: Progress<LanguageModelResponsePart>,
    token: CancellationToken,
  ): Promise<ChatAnswer> {
    const stopped = new AbortController();
    const listening = token.onCancellationRequested(() => stopped.abort());
    if (token.isCancellationRequested) stopped.abort();
    const signal = AbortSignal.any([stopped.signal, this.#deps.signOutSignal]);
    const [runtime, onStart] = await Promise.all([this.#deps.runtime(), this.#deps.watches()]);
    const watch = onStart();
    try {
      const client = runtime.client(credentials, { ...settings, yields: true });
      const answer = await client.chat(conversationOf(messages, options), settings.parameters, {
        signal,
        onText: (text) => {
          watch.onText();
          progress.report(new LanguageModelTextPart(text));
        },
        onReasoning: (text) => reportReasoning(text, progress),
        onRetry: (retry) => watch.onRetry(retry),
      });
      watch.onDone(answer);
      return answer;
    } catch (error) {
      watch.onFailed(error);
      throw error;
    } finally {
      listening.dispose();
    }
  }

  /** What the caller is told: VS Code shows the stack of an error, so that ours have none. */
  async #shown(error: unknown, source: ChatSource | undefined, callerId: string): Promise<Error> {
    if (isKind(error, 'cancelled')) return new CancellationError();
    const isOurs = error instanceof ChatRefusal;
    const used = source && { ...source, folder: onlyFolder() };
    const message = isOurs ? undefined : await noteFailure(this.#deps, error, onlyFolder(), used);
    const text = isOurs ? error.message : texts.chatFailure(error, message);
    if (!this.callers.isTrusted(callerId)) return LanguageModelError.NoPermissions(text);
    return Object.assign(new Error(texts.escapeMarkdown(text)), { stack: undefined });
  }
}

/** Reports what follows the text: calls, whole, and the usage, which the chat counts as its last. */
function report(answer: ChatAnswer, progress: Progress<LanguageModelResponsePart>): void {
  const { text, toolCalls, stopReason, usage } = answer;
  const isCut = stopReason === 'max_tokens' || stopReason === 'time_limit';
  if (!isCut) for (const call of toolCalls) progress.report(callPart(call));
  const { inputTokens, outputTokens } = usage;
  const counts = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  progress.report(new LanguageModelDataPart(Buffer.from(JSON.stringify(counts)), 'usage'));
  if (isCut) throw new ChatRefusal(texts.cutText(stopReason));
  if (text.trim() !== '' || toolCalls.length > 0) return;
  throw new ChatRefusal(outputTokens > 0 ? texts.ONLY_REASONING : texts.EMPTY_ANSWER);
}

function callPart({ id, name, arguments: given }: ToolCall): LanguageModelToolCallPart {
  const input = parsed(given || '{}');
  if (typeof input !== 'object' || input === null || Array.isArray(input) || name === '') {
    throw new ChatRefusal(texts.UNREADABLE_CALL);
  }
  return new LanguageModelToolCallPart(id, name, input);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** VS Code has a part for it, though not among its types; where it has not, nobody sees it. */
function reportReasoning(text: string, progress: Progress<LanguageModelResponsePart>): void {
  const Part: unknown = Reflect.get(vscode, 'LanguageModelThinkingPart');
  if (typeof Part === 'function') progress.report(Reflect.construct(Part, [text]));
}

async function askAboutCaller(id: string, { approved, projectId }: Credentials): Promise<boolean> {
  const detail = texts.callerDetail(new URL(approved.service).host, projectId);
  const options = { modal: true, detail };
  const picked = await window.showWarningMessage(texts.callerQuestion(id), options, texts.ALLOW);
  return picked === texts.ALLOW;
}
