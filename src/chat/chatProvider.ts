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
import type { CallOptions, ChatAnswer } from '../service/client.ts';
import type { Credentials } from '../service/credentials.ts';
import { isKind } from '../service/errors.ts';
import type { ChatMessage, Conversation, ToolCall } from '../service/generation/conversation.ts';
import { estimateTokens } from '../service/models/modelLimits.ts';
import type { Model } from '../service/models/modelList.ts';
import type { ModelSource } from '../service/models/models.ts';
import { isAiDisabled, readSettings, type Settings } from '../settings.ts';
import type { GenerationWatch } from '../status/generationWatch.ts';
import { completeWalkthroughStep } from '../ui/walkthrough.ts';
import { counted, type Usage } from '../usage/usage.ts';
import type { UsageRow } from '../usage/usageLedger.ts';
import { ChatCallers } from './chatCallers.ts';
import * as texts from './chatMessages.ts';
import { ChatModels } from './chatModels.ts';
import { conversationOf, textOfMessage } from './conversationMapping.ts';

/** VS Code's chat, agents and other extensions on the hosted model. */

export interface ChatDeps extends DiagnosisDeps {
  readonly globalState: Memento;
  readonly access: () => Promise<CredentialAccess>;
  readonly watches: () => Promise<() => GenerationWatch>;
  readonly usage: () => Promise<Usage>;
}

/** What a request is made with. There is no document, so that what is in front has no say. */
interface ChatSource {
  readonly credentials: Credentials;
  readonly settings: Settings;
  /** Aborts once the key is gone, also while a question about the request is open. */
  readonly signedOut: AbortSignal;
}

/** Who asks, and what is told of the answer while it comes. */
interface ChatListener extends Pick<CallOptions, 'onText' | 'onReasoning'> {
  readonly caller: UsageRow['caller'];
}

/** A sentence of ours, which the chat shows as it is. */
export class ChatRefusal extends Error {}

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
    const signedOut = this.#deps.signOutSignal;
    const choice = await (await this.#deps.access()).lookWithoutDocument();
    if (choice.kind !== 'ready') return undefined;
    const settings = readSettings(onlyFolder()?.uri);
    return { credentials: choice.credentials, settings, signedOut };
  }

  /** @throws an error whose message is a sentence, without a stack: the chat shows both */
  async respond(
    { id: modelId }: Pick<LanguageModelChatInformation, 'id'>,
    messages: readonly LanguageModelChatRequestMessage[],
    options: ProvideLanguageModelChatResponseOptions,
    progress: Progress<LanguageModelResponsePart>,
    token: CancellationToken,
  ): Promise<void> {
    const named: unknown = Reflect.get(options, 'requestInitiator');
    const callerId = typeof named === 'string' ? named.toLowerCase() : '';
    try {
      const source = await this.#requireSource({ modelId });
      if (!(await this.callers.mayCall(callerId, source.credentials))) {
        throw new ChatRefusal(texts.CALLER_REFUSED);
      }
      const asks = options.tools?.length ? 'agent' : 'chat';
      const answer = await this.#chat(source, conversationOf(messages, options), token, {
        caller: this.callers.isTrusted(callerId) ? asks : 'other extension',
        onText: (text) => progress.report(new LanguageModelTextPart(text)),
        onReasoning: (text) => reportReasoning(text, progress),
      });
      report(answer, progress);
      completeWalkthroughStep('hasChatted');
      this.#refreshIfStale(source);
    } catch (error) {
      if (isKind(error, 'cancelled')) throw new CancellationError();
      const text = await this.sentenceFor(error);
      if (!this.callers.isTrusted(callerId)) throw LanguageModelError.NoPermissions(text);
      throw Object.assign(new Error(texts.escapeMarkdown(text)), { stack: undefined });
    }
  }

  /**
   * The answer to a prompt that another model has written.
   * @throws {ServiceError} as the service failed
   * @throws {ChatRefusal} with a sentence
   */
  async generate(prompt: string, token: CancellationToken): Promise<string> {
    const source = await this.#requireSource({});
    const message: ChatMessage = { role: 'user', content: [{ text: prompt }] };
    const conversation = { messages: [message], tools: [], toolChoice: 'auto' as const };
    return (await this.#chat(source, conversation, token, { caller: 'agent' })).text;
  }

  /** Notes a failure, and says it in words. */
  async sentenceFor(error: unknown): Promise<string> {
    if (error instanceof ChatRefusal) return error.message;
    const source = await this.source();
    const folder = onlyFolder();
    const used = source && { ...source, folder };
    return texts.chatFailure(error, await noteFailure(this.#deps, error, folder, used));
  }

  /** A list of a day ago is asked for again, behind the answer; nobody waits for it. */
  #refreshIfStale(source: ChatSource): void {
    if (!this.models.isStale(source.credentials, source.settings.operation)) return;
    this.refresh(source, source.signedOut).catch(() => {});
  }

  /** @throws {ServiceError} as the service failed */
  async refresh(
    { credentials, settings }: Omit<ChatSource, 'signedOut'>,
    signal: AbortSignal,
  ): Promise<void> {
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

  /** @throws {ChatRefusal} where nothing may be used */
  async #requireSource(settings: Partial<Settings>): Promise<ChatSource> {
    const source = await this.source();
    if (!source) throw new ChatRefusal(texts.NOT_SET_UP);
    const refusal = await (await this.#deps.usage()).refusal(source.credentials);
    if (refusal) throw new ChatRefusal(refusal);
    return { ...source, settings: { ...source.settings, ...settings } };
  }

  async #chat(
    { credentials, settings, signedOut }: ChatSource,
    conversation: Conversation,
    token: CancellationToken,
    { caller, onText, onReasoning }: ChatListener,
  ): Promise<ChatAnswer> {
    const stopped = new AbortController();
    const listening = token.onCancellationRequested(() => stopped.abort());
    if (token.isCancellationRequested) stopped.abort();
    const signal = AbortSignal.any([stopped.signal, signedOut]);
    const { runtime: service, watches, usage: counter } = this.#deps;
    const [runtime, onStart, usage] = await Promise.all([service(), watches(), counter()]);
    const watch = onStart();
    let said = '';
    try {
      const client = runtime.client(credentials, { ...settings, yields: true });
      const answering = client.chat(conversation, settings.parameters, {
        signal,
        onText: (text) => {
          watch.onText();
          said += text;
          onText?.(text);
        },
        onReasoning: (text) => {
          said += text;
          onReasoning?.(text);
        },
        onRetry: (retry) => watch.onRetry(retry),
      });
      const answer = await counted(
        answering,
        () => ({ prompt: textOf(conversation), said }),
        (used) => void usage.record(credentials, { model: settings.modelId, caller, ...used }),
      );
      watch.onDone(answer);
      return answer;
    } catch (error) {
      watch.onFailed(error);
      throw error;
    } finally {
      listening.dispose();
    }
  }
}

/** All that the model reads, for an estimate: the tools of an agent are most of it. */
function textOf(conversation: Conversation): string {
  return JSON.stringify(conversation, (name, value) => (name === 'image' ? '' : value));
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
