import {
  CancellationError,
  type CancellationToken,
  type LanguageModelChatInformation,
  type LanguageModelChatRequestMessage,
  type LanguageModelResponsePart,
  LanguageModelTextPart,
  type Memento,
  type Progress,
  type ProvideLanguageModelChatResponseOptions,
  window,
  workspace,
} from 'vscode';
import { isAiDisabled } from '../config/configuration.ts';
import type { Connections } from '../connection/connections.ts';
import { onlyFolder } from '../connection/folders.ts';
import { explainFailure } from '../diagnose/reportFailure.ts';
import { brokenOff } from '../messages/messages.ts';
import { callerOf, isOfModelGroup } from '../privateApi.ts';
import {
  type Conversation,
  conversationText,
  promptConversation,
} from '../service/api/conversation.ts';
import { estimateTokens } from '../service/api/requestUsage.ts';
import type { Generation } from '../service/api/responseReader.ts';
import type { CallOptions } from '../service/client.ts';
import type { Connection } from '../service/connection.ts';
import { isKind } from '../service/errors.ts';
import type { GenerationWatch } from '../status/generationWatch.ts';
import type { SessionHistory } from '../status/sessionHistory.ts';
import type { StatusItem } from '../status/statusItem.ts';
import type { Claim, Usage } from '../status/usage.ts';
import type { UsageRow } from '../status/usageLedger.ts';
import { setContextKey } from '../ui/contextKeys.ts';
import type { Log } from '../ui/log.ts';
import {
  ChatError,
  checkEnd,
  errorForExtension,
  reportAnswer,
  reportReasoning,
} from './chatAnswer.ts';
import { ChatCallers } from './chatCallers.ts';
import * as texts from './chatMessages.ts';
import { ChatModels } from './chatModels.ts';
import { conversationOf, textOfMessage } from './conversationMapping.ts';

/** VS Code's chat, agents and other extensions on the hosted model. */

/** What chat works with. */
export interface ChatDeps {
  readonly log: Log;
  readonly status: StatusItem;
  readonly history: SessionHistory;
  readonly connections: Connections;
  readonly usage: Usage;
  /** What is remembered in every window; nothing secret. */
  readonly globalState: Memento;
  readonly startWatch: () => GenerationWatch;
}

/** A request, with a signal that aborts at the next sign-out, even while a prompt is open. */
interface ChatRequest {
  readonly connection: Connection;
  readonly signedOut: AbortSignal;
}

/** Who asks, and what is told of the answer while it comes. */
interface ChatListener extends Pick<CallOptions, 'onText' | 'onReasoning'> {
  readonly caller: UsageRow['caller'];
}

export class ChatProvider {
  readonly models: ChatModels;
  readonly callers: ChatCallers;
  readonly #deps: ChatDeps;
  /** Services whose lists were asked for behind an answer. */
  readonly #listed = new Set<string>();
  #groupCalls = 0;

  /** @param onModelsChange has VS Code ask for the models again */
  constructor(deps: ChatDeps, extensionId: string, onModelsChange: () => void) {
    this.#deps = deps;
    const { globalState } = deps;
    this.models = new ChatModels(globalState, Date.now, onModelsChange);
    this.callers = new ChatCallers({
      state: globalState,
      ownId: extensionId,
      fingerprintOf: (...from) => deps.connections.fingerprintOf(...from),
      ask: askAboutCaller,
    });
  }

  /** How often VS Code has asked for the models of a provider group of ours. */
  get groupCalls(): number {
    return this.#groupCalls;
  }

  /**
   * The models to offer, without a request or a question. VS Code asks for each group, and once
   * without one: the answers would be added up, so that only the latter gets them.
   */
  async information(options: object): Promise<LanguageModelChatInformation[]> {
    const isOfGroup = isOfModelGroup(options);
    if (isOfGroup) this.#groupCalls += 1;
    if (isOfGroup || !workspace.isTrusted || isAiDisabled()) return [];
    const connection = await this.connection();
    return connection ? this.models.information(connection) : [];
  }

  /** As often as VS Code counts, thousands of times for one prompt. */
  count(text: string | LanguageModelChatRequestMessage): number {
    return estimateTokens(typeof text === 'string' ? text : textOfMessage(text));
  }

  /** The connection of the chat; undefined if something is missing or not approved. */
  async connection(): Promise<Connection | undefined> {
    const [first] = await this.#deps.connections.all();
    return first;
  }

  /** @throws an error whose message is a sentence, without a stack: the chat shows both */
  async respond(
    { id: modelId }: Pick<LanguageModelChatInformation, 'id'>,
    messages: readonly LanguageModelChatRequestMessage[],
    options: ProvideLanguageModelChatResponseOptions,
    progress: Progress<LanguageModelResponsePart>,
    token: CancellationToken,
  ): Promise<void> {
    const callerId = callerOf(options);
    try {
      const request = await this.#request(modelId);
      if (!(await this.callers.mayCall(callerId, request.connection, request.signedOut))) {
        throw new ChatError(texts.CALLER_REFUSED);
      }
      await this.#checkBudget(request);
      const asks = options.tools?.length ? 'agent' : 'chat';
      let hasReasoned = false;
      const answer = await this.#chat(request, conversationOf(messages, options), token, {
        caller: this.callers.isTrusted(callerId) ? asks : 'other extension',
        onText: (text) => progress.report(new LanguageModelTextPart(text)),
        onReasoning: (text) => {
          hasReasoned = true;
          reportReasoning(text, progress);
        },
      });
      reportAnswer(answer, progress);
      checkEnd(answer, hasReasoned);
      setContextKey('hasChatted');
      this.#refreshIfStale(request);
    } catch (error) {
      if (isKind(error, 'cancelled')) throw new CancellationError();
      const text = await this.sentenceFor(error);
      if (!this.callers.isTrusted(callerId)) throw errorForExtension(error, text);
      throw Object.assign(new Error(texts.escapeMarkdown(text)), { stack: undefined });
    }
  }

  /**
   * The answer to a prompt that another model has written.
   * @throws {ServiceError} as the service failed
   * @throws {ChatError} with a sentence
   */
  async generate(prompt: string, token: CancellationToken): Promise<string> {
    const request = await this.#request();
    await this.#checkBudget(request);
    const conversation = promptConversation(prompt);
    const answer = await this.#chat(request, conversation, token, { caller: 'agent' });
    checkEnd(answer, false);
    return answer.text;
  }

  /** Notes a failure, and says it in words. */
  async sentenceFor(error: unknown): Promise<string> {
    if (error instanceof ChatError) return error.message;
    // Where that fails, too, the failure itself is still worth its sentence.
    const connection = await this.connection().catch(() => undefined);
    const explained = await explainFailure(this.#deps, error, onlyFolder(), connection);
    return texts.chatFailure(error, explained);
  }

  /** A list of a day ago is asked for again, behind the answer; nobody waits for it. */
  #refreshIfStale({ connection, signedOut }: ChatRequest): void {
    const service = `${connection.service.word} ${connection.serviceUrl}`;
    const isStale = this.models.isStale(connection);
    // Once in a window: a service that does not list its models is not asked after each answer.
    if (!isStale || this.#listed.has(service)) return;
    this.#listed.add(service);
    this.refresh(connection, signedOut).catch(() => {});
  }

  /** @throws {ServiceError} as the service failed */
  async refresh(connection: Connection, signal: AbortSignal): Promise<void> {
    const { models } = await connection.models(signal);
    await this.models.keep(connection, models);
  }

  /** @throws {ChatError} if there is no connection */
  async #request(modelId?: string): Promise<ChatRequest> {
    const signedOut = this.#deps.connections.signOutSignal;
    const connection = await this.connection();
    if (!connection) throw new ChatError(texts.NOT_SET_UP);
    return { connection: modelId ? connection.with({ modelId }) : connection, signedOut };
  }

  /** @throws {ChatError} where the budget of the day is used up */
  async #checkBudget({ connection }: ChatRequest): Promise<void> {
    const refusal = await this.#deps.usage.refusal(connection);
    if (refusal) throw new ChatError(refusal);
  }

  async #chat(
    { connection, signedOut }: ChatRequest,
    conversation: Conversation,
    token: CancellationToken,
    { caller, onText, onReasoning }: ChatListener,
  ): Promise<Generation> {
    const stopped = new AbortController();
    const listening = token.onCancellationRequested(() => stopped.abort());
    if (token.isCancellationRequested) stopped.abort();
    const signal = AbortSignal.any([stopped.signal, signedOut]);
    const { usage } = this.#deps;
    const watch = this.#deps.startWatch();
    let said = '';
    let claim: Claim | undefined;
    try {
      const prompt = conversationText(conversation);
      const answer = await connection.chat(conversation, {
        signal,
        // Checked again, because other calls may have used up the budget while this one waited.
        onTurn: async () => {
          claim = await usage.claim(connection, estimateTokens(prompt));
          if (claim.refusal) throw new ChatError(claim.refusal);
        },
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
        onUsage: (used) => {
          void usage.record(connection, { model: connection.modelId, caller, ...used }, claim);
          claim = undefined;
        },
      });
      watch.onDone(answer);
      return answer;
    } catch (error) {
      watch.onFailed(error);
      throw said === '' ? error : brokenOff(error);
    } finally {
      claim?.end();
      listening.dispose();
    }
  }
}

async function askAboutCaller(id: string, connection: Connection): Promise<boolean> {
  const detail = texts.callerDetail(connection);
  const allow = { title: texts.ALLOW };
  const deny = { title: texts.DENY, isCloseAffordance: true };
  const options = { modal: true, detail };
  const question = texts.callerQuestion(id);
  return (await window.showWarningMessage(question, options, allow, deny)) === allow;
}
