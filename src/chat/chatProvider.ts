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
import { explainFailure } from '../diagnose/reportFailure.ts';
import { asIncomplete } from '../messages/messages.ts';
import { type Conversation, promptConversation } from '../service/api/conversation.ts';
import { conversationText } from '../service/api/conversationFormats.ts';
import type { Generation } from '../service/api/responseReader.ts';
import { estimateTokens } from '../service/api/usageEstimate.ts';
import type { CallOptions } from '../service/client.ts';
import type { Connection } from '../service/connection.ts';
import { isKind } from '../service/errors.ts';
import type { Claim, Usage } from '../status/dailyUsage.ts';
import type { StartWatch } from '../status/generationWatch.ts';
import type { SessionHistory } from '../status/sessionHistory.ts';
import type { StatusItem } from '../status/statusItem.ts';
import type { UsageRow } from '../status/usageLedger.ts';
import { setContextKey } from '../ui/contextKeys.ts';
import type { Log } from '../ui/log.ts';
import { callerOf, isOfModelGroup } from '../undocumentedApi.ts';
import { CallerDecisions } from './callerDecisions.ts';
import * as texts from './chatMessages.ts';
import { ChatModels, partsOfId } from './chatModels.ts';
import {
  ChatError,
  checkEnd,
  errorForExtension,
  reportEnd,
  reportReasoning,
  reportResponse,
} from './chatResponse.ts';
import { conversationOf, textOfMessage } from './conversationMapping.ts';

/**
 * Makes the models of all configured services available to VS Code's chat, agents, and other
 * extensions.
 */

export interface ChatDeps {
  readonly log: Log;
  readonly status: StatusItem;
  readonly history: SessionHistory;
  readonly connections: Connections;
  readonly usage: Usage;
  /** Shared by all windows of a VS Code profile. Must not contain secrets. */
  readonly globalState: Memento;
  readonly startWatch: StartWatch;
}

/**
 * The connection for a request, and a signal that aborts when the user signs out or the window
 * closes.
 */
interface ChatRequest {
  readonly connection: Connection;
  readonly signedOut: AbortSignal;
}

/** The caller of a request, and the callbacks for its response. */
interface ChatListener extends Pick<CallOptions, 'onText' | 'onReasoning'> {
  readonly caller: UsageRow['caller'];
}

export class ChatProvider {
  readonly models: ChatModels;
  readonly callers: CallerDecisions;
  readonly #deps: ChatDeps;
  /** The services whose stale model lists this window has already tried to refresh. */
  readonly #listed = new Set<string>();
  #groupRequestCount = 0;

  /** @param onModelsChange makes VS Code request the models again */
  constructor(deps: ChatDeps, extensionId: string, onModelsChange: () => void) {
    this.#deps = deps;
    const { globalState } = deps;
    this.models = new ChatModels(globalState, Date.now, onModelsChange);
    this.callers = new CallerDecisions({
      state: globalState,
      ownId: extensionId,
      fingerprintOf: (...from) => deps.connections.fingerprintOf(...from),
      lastSignOut: () => deps.connections.lastSignOut(),
      ask: askAboutCaller,
    });
  }

  /** Number of times that VS Code has requested models for a provider group. */
  get groupRequestCount(): number {
    return this.#groupRequestCount;
  }

  /**
   * Returns the models to offer, without sending a request or prompting the user. VS Code calls
   * this once for each provider group and once without a group, and combines the results. To
   * prevent duplicates, only the call without a group returns models. Returns no models in an
   * untrusted workspace or if AI features are off.
   */
  async information(options: object): Promise<LanguageModelChatInformation[]> {
    const isGroupRequest = isOfModelGroup(options);
    if (isGroupRequest) this.#groupRequestCount += 1;
    if (isGroupRequest || !workspace.isTrusted || isAiDisabled()) return [];
    const connections = await this.#deps.connections.all();
    const isOnlyService = connections.length === 1;
    return connections.flatMap((connection) => this.models.information(connection, isOnlyService));
  }

  /**
   * Estimates the number of tokens in a string or message. An exact count would be too slow,
   * because VS Code calls this thousands of times per prompt.
   */
  count(text: string | LanguageModelChatRequestMessage): number {
    return estimateTokens(typeof text === 'string' ? text : textOfMessage(text));
  }

  /**
   * Returns the connection for a chat model. Undefined if there is no usable connection, for
   * example because credentials are missing or not approved.
   * @param word the `word` of the model's service; if omitted, returns the connection that chat
   * uses
   */
  async connection(word?: string): Promise<Connection | undefined> {
    const { connections } = this.#deps;
    if (word === undefined) return connections.inChat();
    const all = await connections.all();
    return all.find(({ service }) => service.word === word);
  }

  /**
   * Streams the response to a request from the chat or another extension.
   * @throws {CancellationError} if the request is canceled
   * @throws {LanguageModelError} if a request from another extension fails
   * @throws {Error} if any other request fails. Its stack is removed, because the chat would
   * otherwise show it.
   */
  async respond(
    { id }: Pick<LanguageModelChatInformation, 'id'>,
    messages: readonly LanguageModelChatRequestMessage[],
    options: ProvideLanguageModelChatResponseOptions,
    progress: Progress<LanguageModelResponsePart>,
    token: CancellationToken,
  ): Promise<void> {
    const callerId = callerOf(options);
    let request: ChatRequest | undefined;
    try {
      request = await this.#request(partsOfId(id));
      if (!(await this.callers.mayCall(callerId, request.connection, request.signedOut))) {
        throw new ChatError(texts.CALLER_REJECTED);
      }
      await this.#checkBudget(request);
      const trustedCaller = options.tools?.length ? 'agent' : 'chat';
      let hasReasoned = false;
      const response = await this.#chat(request, conversationOf(messages, options), token, {
        caller: this.callers.isTrusted(callerId) ? trustedCaller : 'other extension',
        onText: (text) => progress.report(new LanguageModelTextPart(text)),
        onReasoning: (text) => {
          hasReasoned = true;
          reportReasoning(text, progress);
        },
      });
      reportResponse(response, progress);
      if (this.callers.isTrusted(callerId)) reportEnd(response, hasReasoned, progress);
      else checkEnd(response, hasReasoned);
      setContextKey('hasChatted');
      this.#refreshIfStale(request);
    } catch (error) {
      if (isKind(error, 'cancelled')) throw new CancellationError();
      const text = await this.explainAndLog(error, request?.connection);
      if (!this.callers.isTrusted(callerId)) throw errorForExtension(error, text);
      throw Object.assign(new Error(texts.escapeMarkdown(text)), { stack: undefined });
    }
  }

  /**
   * Generates a response to a prompt that another model wrote.
   * @throws {ServiceError} if the request fails
   * @throws {ChatError} if no connection is ready, the daily budget is used up, or the response is
   * truncated or empty
   */
  async generate(prompt: string, token: CancellationToken): Promise<string> {
    const request = await this.#request();
    await this.#checkBudget(request);
    const conversation = promptConversation(prompt);
    const response = await this.#chat(request, conversation, token, { caller: 'agent' });
    checkEnd(response, false);
    return response.text;
  }

  /**
   * Returns the message for a failure. Logs the failure and shows it in the status item, unless
   * it's a `ChatError` or a cancellation.
   * @param used the request's connection; by default, the connection that chat uses
   */
  async explainAndLog(error: unknown, used?: Connection): Promise<string> {
    if (error instanceof ChatError) return error.message;
    // A failed lookup must not hide the original failure.
    const connection = used ?? (await this.connection().catch(() => undefined));
    const explained = await explainFailure(
      this.#deps,
      error,
      () => this.#deps.connections.all(),
      connection,
    );
    return texts.chatFailure(error, explained);
  }

  /** Refreshes a stale model list in the background. */
  #refreshIfStale({ connection, signedOut }: ChatRequest): void {
    const service = `${connection.service.word} ${connection.serviceUrl}`;
    const isStale = this.models.isStale(connection);
    // Try only once per service in each window. Otherwise, every response would trigger a request
    // to a service that can't list its models.
    if (!isStale || this.#listed.has(service)) return;
    this.#listed.add(service);
    this.refresh(connection, signedOut).catch(() => {});
  }

  /**
   * Fetches and saves the model lists of the other services that are set up. Ignores failures,
   * because chat offers each connection's own model even without a list.
   * @param except the connection of the service to skip
   */
  async refreshOthers(except: Connection, signal: AbortSignal): Promise<void> {
    const all = await this.#deps.connections.all();
    const others = all.filter(({ service }) => service.word !== except.service.word);
    await Promise.allSettled(others.map((connection) => this.refresh(connection, signal)));
  }

  /**
   * Fetches the model list from the service and saves it. Doesn't save anything if the service has
   * no list.
   * @throws {ServiceError} if the request fails for any reason other than `no-model-list`
   */
  async refresh(connection: Connection, signal: AbortSignal): Promise<void> {
    try {
      const { models } = await connection.models(signal);
      await this.models.keep(connection, models);
    } catch (error) {
      // Chat offers the connection's own model even without a list.
      if (!isKind(error, 'no-model-list')) throw error;
    }
  }

  /** @throws {ChatError} if there is no connection */
  async #request(model?: ReturnType<typeof partsOfId>): Promise<ChatRequest> {
    const signedOut = this.#deps.connections.signOutSignal;
    const connection = await this.connection(model?.word);
    if (!connection) throw new ChatError(texts.NOT_SET_UP);
    return {
      connection: model ? connection.with({ modelId: model.modelId }) : connection,
      signedOut,
    };
  }

  /** @throws {ChatError} if the daily budget is used up */
  async #checkBudget({ connection }: ChatRequest): Promise<void> {
    const rejection = await this.#deps.usage.rejection(connection);
    if (rejection) throw new ChatError(rejection);
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
    const watch = this.#deps.startWatch(connection);
    let received = '';
    let claim: Claim | undefined;
    try {
      const prompt = conversationText(conversation);
      const response = await connection.chat(conversation, {
        signal,
        storedModel: this.models.storedModel(connection),
        // Check the budget again, because other requests may have used it up while this one was
        // waiting.
        beforeFirstAttempt: async () => {
          claim = await usage.claim(connection, estimateTokens(prompt));
          if (claim.rejection) throw new ChatError(claim.rejection);
        },
        onText: (text) => {
          watch.onText();
          received += text;
          onText?.(text);
        },
        onReasoning: (text) => {
          received += text;
          onReasoning?.(text);
        },
        onRetry: (retry) => watch.onRetry(retry),
        onUsage: (used) => {
          void usage.record(connection, { model: connection.modelId, caller, ...used }, claim);
          claim = undefined;
        },
      });
      watch.onDone(response);
      return response;
    } catch (error) {
      watch.onFailed(error);
      throw received === '' ? error : asIncomplete(error);
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
