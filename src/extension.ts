import {
  type Disposable,
  type Extension,
  type ExtensionContext,
  type Memento,
  type TextDocument,
  window,
} from 'vscode';
import { forgetCallers } from './chat/chatCallers.ts';
import { type Chat, type OfferedModels, offerModels } from './chat/offerModels.ts';
import { registerCommands } from './commands/commands.ts';
import type { App } from './commands/commandTypes.ts';
import { onDidChangeSettings, readStartupSettings } from './config/configuration.ts';
import { Approvals } from './connection/approvals.ts';
import { STORAGE_MESSAGES } from './connection/connectionMessages.ts';
import { Connections } from './connection/connections.ts';
import { KeyStore, type StorageIssue } from './connection/keyStore.ts';
import type { ConnectionsState } from './connection/setUpState.ts';
import { provenanceLines } from './connection/sourceView.ts';
import { startEnvFile } from './envFile/envFileFeature.ts';
import { Jobs } from './generate/jobs.ts';
import type { TokenState } from './service/auth/token.ts';
import { isOutOfReach, ServiceError } from './service/errors.ts';
import type { ServiceRuntime } from './service/serviceRuntime.ts';
import { generationWatches } from './status/generationWatch.ts';
import { trafficOf } from './status/requestsLine.ts';
import { SessionHistory } from './status/sessionHistory.ts';
import { StatusItem } from './status/statusItem.ts';
import { Usage } from './status/usage.ts';
import { loadTemplates } from './templates/importTemplates.ts';
import { isTemplateFile } from './templates/templateDocument.ts';
import { setContextKey } from './ui/contextKeys.ts';
import { type Log, openLog } from './ui/log.ts';
import { whenOpened } from './ui/whenOpened.ts';

/**
 * Creates the parts in order of dependency. Sends no request, starts no timer, reads no secret, and
 * doesn't load the service client. If a part fails, every command reports it, because VS Code
 * doesn't show why a command is missing. The log names the part.
 */
export function activate(context: ExtensionContext): void {
  const { subscriptions } = context;
  let app: App | undefined;
  const hasAllCommands = registerCommands(() => app, subscriptions);
  const parts = new DisposableStack();
  let latest = 'the log';
  /** Registers each part for disposal as soon as it's created, because the next one can fail. */
  const make: Make = (name, makePart) => {
    // Parts that load late must not be created after the window has closed.
    if (parts.disposed) throw new ServiceError('cancelled');
    latest = name;
    return parts.adopt(makePart(), (part) => part.dispose());
  };
  let log: Log | undefined;
  try {
    const opened = openLog();
    subscriptions.push(opened);
    log = opened;
    if (hasAllCommands) {
      app = new HostedModel(context, log, make);
      subscriptions.push(parts);
    } else log.error('could not start: another extension has a command of the same name');
  } catch (error) {
    log?.error(`could not start: ${latest} failed with ${nameOf(error)}`);
    // Disposes the parts that were already created. Otherwise they would keep listening and
    // updating the status bar.
    try {
      parts.dispose();
    } catch {
      // A `DisposableStack` disposes all parts, even if some of them fail.
    }
  }
}

type Make = <Part extends Disposable>(name: string, make: () => Part) => Part;

/** The parts that live as long as the window. The service client and chat load on first use. */
class HostedModel implements App {
  readonly log: Log;
  readonly globalState: Memento;
  readonly status: StatusItem;
  readonly connections: Connections;
  readonly extension: Extension<unknown>;
  readonly history = new SessionHistory({ now: Date.now, monotonic: () => performance.now() });
  readonly usage: Usage;
  readonly jobs: Jobs;
  readonly startWatch: App['startWatch'];
  readonly #make: Make;
  readonly #models: OfferedModels;
  #runtime: ServiceRuntime | undefined;
  #chat: Chat | undefined;
  /** Reads the settings that the tooltip shows. */
  #readSettings: ConnectionsState['settings'] = readStartupSettings;

  constructor(context: ExtensionContext, log: Log, make: Make) {
    this.log = log;
    this.globalState = context.globalState;
    this.extension = context.extension;
    this.#make = make;
    const keys = make('the key store', () => {
      return new KeyStore(context.secrets, this.globalState, showStorageIssue);
    });
    this.connections = make('the connections', () => this.#makeConnections(context, keys));
    const onTick = () => this.#inBackground(this.#keepFresh());
    const settings = () => this.#readSettings(window.activeTextEditor?.document.uri);
    this.status = make('the status item', () => new StatusItem(settings, onTick));
    this.status.show();
    this.startWatch = generationWatches(this);
    this.usage = new Usage(this, context.globalStorageUri);
    this.jobs = make('the jobs', () => new Jobs());
    make('the .env files', () => whenOpened(isNamedEnv, async () => startEnvFile(keys)));
    make('the template files', () => whenOpened(isTemplateFile, startTemplateFiles));
    this.#models = make('the models of the chat', () => offerModels(this.chat));
    this.#listen(make, keys);
    this.#inBackground(this.#showWhetherSetUp());
  }

  readonly runtime = async (): Promise<ServiceRuntime> => {
    if (this.#runtime) return this.#runtime;
    const client = await import('./service/serviceRuntime.ts');
    this.#runtime ??= this.#make(
      'the service client',
      () =>
        new client.ServiceRuntime({
          onTokenState: (token) => this.#onTokenState(token),
          onTraffic: (live) => this.status.update({ traffic: live && trafficOf(live) }),
        }),
    );
    return this.#runtime;
  };

  readonly chat = async (): Promise<Chat> => {
    if (this.#chat) return this.#chat;
    const { makeChat } = await import('./chat/chat.ts');
    this.#chat ??= makeChat(this, this.extension.id, () => this.#models.refresh());
    return this.#chat;
  };

  #makeConnections(
    { secrets, globalState, workspaceState }: ExtensionContext,
    keys: KeyStore,
  ): Connections {
    return new Connections({
      keys,
      approvals: new Approvals(secrets, globalState),
      workspaceState,
      environment: process.env,
      runtime: this.runtime,
      runtimeIfMade: () => this.#runtime,
      inBackground: (work) => this.#inBackground(work),
    });
  }

  #listen(make: Make, keys: KeyStore): void {
    const { connections } = this;
    const listen = (
      to: string,
      event: (listener: () => void) => Disposable,
      onEvent: () => unknown,
    ) => make(`listening to ${to}`, () => event(() => this.#inBackground(onEvent())));
    listen('connections', connections.onDidChange, () => this.#onConnectionsChange());
    listen('sign-outs', connections.onDidSignOut, () => forgetCallers(this.globalState));
    listen('keys', keys.onDidChange, () =>
      this.status.update({ lastFailure: undefined, unreachable: false }),
    );
    listen('settings', onDidChangeSettings, () => this.status.update({ unreachable: false }));
    listen('the window', window.onDidChangeWindowState, () => this.#keepFresh());
  }

  /** Logs failures of work that isn't awaited. */
  #inBackground(work: unknown): void {
    Promise.resolve(work).catch((error: unknown) => {
      this.log.error(`in the background: ${nameOf(error)}`);
    });
  }

  #onTokenState(token: TokenState): void {
    this.status.update({ token });
    this.history.tokenIs(token);
    const error = token.kind === 'valid' ? token.refreshError : 'error' in token && token.error;
    if (error) this.log.warn(`token: ${error.message}`);
    if (error || token.kind === 'valid') this.status.update({ unreachable: isOutOfReach(error) });
  }

  async #onConnectionsChange(): Promise<void> {
    const { current, obstacle } = this.connections;
    const active = current?.choice.kind === 'ready' ? current.choice.connection : undefined;
    const provenance = current && provenanceLines(current.found, current.choice);
    this.status.update({ obstacle, provenance, connection: active });
    this.#models.refresh();
    this.#inBackground(this.usage.setActive(active));
    await this.#showWhetherSetUp();
  }

  async #keepFresh(): Promise<void> {
    if (!window.state.focused || !this.#runtime) return;
    // Checks the connection first, so that no token of a replaced connection is refreshed.
    await this.connections.refresh();
    this.#runtime.keepTokenFresh();
  }

  async #showWhetherSetUp(): Promise<void> {
    const { settings, isSetUp, ...state } = await this.connections.state();
    this.#readSettings = settings;
    this.status.update({ isSetUp });
    setContextKey('isSetUp', isSetUp);
    setContextKey('canSignOut', state.canSignOut);
    setContextKey('refreshesTokens', state.refreshesTokens);
  }
}

const startTemplateFiles = async () => (await loadTemplates()).startTemplateFiles();

function isNamedEnv({ uri }: Pick<TextDocument, 'uri'>): boolean {
  return uri.path.endsWith('/.env');
}

/** Only the name is logged, because messages of foreign errors can contain secrets. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown failure';
}

function showStorageIssue(what: StorageIssue): void {
  void window.showWarningMessage(STORAGE_MESSAGES[what]);
}
