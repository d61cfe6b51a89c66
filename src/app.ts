import type { Disposable, Extension, ExtensionContext, Memento } from 'vscode';
import { forgetCallers } from './chat/callerDecisions.ts';
import type { Chat } from './chat/offerModels.ts';
import type { App, CommandCode } from './commands/commandTypes.ts';
import { handlers } from './commands/handlers.ts';
import { onDidChangeSettings } from './config/configuration.ts';
import type { ConnectionStores } from './connection/connectionStores.ts';
import { Connections } from './connection/connections.ts';
import { runSetUp } from './connection/setUp/setUp.ts';
import { provenanceLines } from './connection/sourceView.ts';
import { reportFailure } from './diagnose/reportFailure.ts';
import { RecentJobs } from './generate/recentJobs.ts';
import type { TokenState } from './service/auth/token.ts';
import { isUnreachable } from './service/errors.ts';
import type { ConcurrencyState } from './service/http/concurrencyLimit.ts';
import { prepareFetch } from './service/http/reconnectingFetch.ts';
import type { Service } from './service/service.ts';
import { ServiceRuntime } from './service/serviceRuntime.ts';
import { Usage } from './status/dailyUsage.ts';
import { generationWatches } from './status/generationWatch.ts';
import { SessionHistory } from './status/sessionHistory.ts';
import type { StatusItem } from './status/statusItem.ts';
import { follower } from './ui/followState.ts';
import type { Log } from './ui/log.ts';

/** The parts and functions that activation provides to `HostedModel`. */
export interface Started {
  readonly context: ExtensionContext;
  readonly log: Log;
  readonly status: StatusItem;
  readonly stored: ConnectionStores;
  /** Creates a part and disposes of it when the window closes. */
  readonly make: <Part extends Disposable>(make: () => Part) => Part;
  /** Catches and logs an error from a promise that isn't awaited. */
  readonly inBackground: (work: unknown) => void;
  /** Updates the setup state that the status item and the command palette use. */
  readonly updateSetUpState: (inUse: Service | undefined) => Promise<void>;
  /** Makes VS Code request the chat models again. */
  readonly refreshModels: () => void;
}

/**
 * The parts of the extension that its commands and the chat need. Created when a command first runs
 * or when VS Code first needs the chat.
 */
export class HostedModel implements App, CommandCode {
  readonly log: Log;
  readonly globalState: Memento;
  readonly status: StatusItem;
  readonly extension: Extension<unknown>;
  readonly runtime: ServiceRuntime;
  readonly connections: Connections;
  readonly history = new SessionHistory({ now: Date.now, monotonic: () => performance.now() });
  readonly usage: Usage;
  readonly jobs: RecentJobs;
  readonly startWatch: App['startWatch'];
  readonly #started: Started;
  #chat: Chat | undefined;
  readonly #followTokens = follower<TokenState>((_, state = { kind: 'none' }) =>
    this.#onTokenState(state),
  );
  readonly #followRequests = follower<ConcurrencyState>((requests) =>
    this.status.update({ requests }),
  );

  constructor(started: Started) {
    const { context, log, status, stored, make, inBackground } = started;
    this.#started = started;
    inBackground(prepareFetch());
    this.log = log;
    this.globalState = context.globalState;
    this.status = status;
    this.extension = context.extension;
    const runtime = make(() => new ServiceRuntime());
    this.runtime = runtime;
    const options = { ...stored, runtime, environment: process.env, inBackground };
    this.connections = make(
      () => new Connections({ ...options, runSetUp: (reason) => runSetUp(options, reason) }),
    );
    this.startWatch = generationWatches(this);
    this.usage = new Usage(this, context.globalStorageUri);
    this.jobs = make(() => new RecentJobs());
    this.#listen();
  }

  readonly run: CommandCode['run'] = (name, invocation) => handlers[name](this, invocation);
  readonly report: CommandCode['report'] = (error) => reportFailure(this, error);

  readonly loadChat = async (): Promise<Chat> => {
    if (this.#chat) return this.#chat;
    const { makeChat } = await import('./chat/makeChat.ts');
    this.#chat ??= makeChat(this, this.extension.id, this.#started.refreshModels);
    return this.#chat;
  };

  /** Refreshes the active connection's token if a refresh is due. */
  async keepFresh(): Promise<void> {
    // The connection may have changed since the last lookup, so repeat the lookup first.
    await this.connections.refresh();
    this.connections.active?.tokens.keepFresh();
  }

  #listen(): void {
    const { connections, status } = this;
    const { make, inBackground, stored } = this.#started;
    make(() => connections.onDidChange(() => inBackground(this.#onConnectionsChange())));
    make(() => connections.onDidSignOut(() => inBackground(forgetCallers(this.globalState))));
    make(() =>
      stored.keys.onDidChange(() => status.update({ lastFailure: undefined, unreachable: false })),
    );
    make(() => onDidChangeSettings(() => status.update({ unreachable: false })));
  }

  async #onConnectionsChange(): Promise<void> {
    const { active: connection, current, obstacle } = this.connections;
    const provenance = current && provenanceLines(current.found, current.choice);
    this.status.update({ obstacle, provenance, connection });
    this.#followTokens(connection?.tokens);
    this.#followRequests(connection?.requests);
    const { refreshModels, inBackground, updateSetUpState } = this.#started;
    refreshModels();
    inBackground(this.usage.setActive(connection));
    await updateSetUpState(connection?.service);
  }

  #onTokenState(token: TokenState): void {
    this.status.update({ token });
    this.history.recordTokenState(token);
    const error = token.kind === 'valid' ? token.refreshError : 'error' in token && token.error;
    const problem = token.kind === 'rejected' ? 'credentials rejected' : 'couldn’t get a token';
    if (error) this.log.warn(`${problem}: ${error.message}`);
    if (error || token.kind === 'valid') this.status.update({ unreachable: isUnreachable(error) });
  }
}
