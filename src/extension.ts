import {
  type Disposable,
  type ExtensionContext,
  type Memento,
  type TextDocument,
  window,
} from 'vscode';
import { type Chat, type OfferedModels, offerModels } from './chat/offerModels.ts';
import type { App } from './commands/app.ts';
import { registerCommands } from './commands/commands.ts';
import { onDidChangeSettings, readStartupSettings } from './configuration.ts';
import { Approvals } from './credentials/approvals.ts';
import { Connections } from './credentials/connections.ts';
import type { ConnectionsState } from './credentials/connectionsState.ts';
import { STORAGE_MESSAGES } from './credentials/credentialMessages.ts';
import { KeyStore, type StorageIssue } from './credentials/keyStore.ts';
import { provenanceLines } from './credentials/sourceView.ts';
import type { TokenState } from './service/auth/token.ts';
import type { ServiceRuntime } from './service/serviceRuntime.ts';
import { SessionHistory } from './status/sessionHistory.ts';
import { StatusItem } from './status/statusItem.ts';
import { isTemplateFile } from './templates/templateDocument.ts';
import { setContextKey } from './ui/contextKeys.ts';
import { Lazy, whenOpened } from './ui/lazy.ts';
import { type Log, openLog } from './ui/log.ts';

/**
 * Builds everything in order of dependency. It makes no request, starts no timer, reads no secret
 * and does not load the HTTP stack. Where a part fails, commands say so, since VS Code shows nobody
 * why one is missing, and the log says which part it was.
 */
export function activate(context: ExtensionContext): void {
  const { subscriptions } = context;
  let app: App | undefined;
  const hasAllCommands = registerCommands(() => app, subscriptions);
  const parts = new DisposableStack();
  let latest = 'the log';
  /** Keeps each part as soon as it is made, since the next one can fail. */
  const make: Make = (name, makePart) => {
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
    // What is half built would listen and paint until the window closes.
    try {
      parts.dispose();
    } catch {
      // All of them have ended, whichever failed.
    }
  }
}

type Make = <Part extends Disposable>(name: string, make: () => Part) => Part;

/** What lives as long as the window; what commands alone need is loaded when one needs it. */
class HostedModel implements App {
  readonly log: Log;
  readonly globalState: Memento;
  readonly status: StatusItem;
  readonly connections: Connections;
  readonly history = new SessionHistory({ now: Date.now, monotonic: () => performance.now() });
  readonly #context: ExtensionContext;
  readonly #runtime = new Lazy(() => this.#makeRuntime());
  readonly #parts = new Lazy(() => this.#makeParts());
  readonly #chat = new Lazy(() => this.#makeChat());
  readonly #models: OfferedModels;
  /** Reads the settings that the tooltip shows. */
  #readSettings: ConnectionsState['settings'] = readStartupSettings;

  constructor(context: ExtensionContext, log: Log, make: Make) {
    this.#context = context;
    this.log = log;
    this.globalState = context.globalState;
    const keys = make('the key store', () => {
      return new KeyStore(context.secrets, this.globalState, showStorageIssue);
    });
    this.connections = make('the connections', () => this.#makeConnections(keys));
    const onTick = () => this.#inBackground(this.#keepFresh());
    const settings = () => this.#readSettings(window.activeTextEditor?.document.uri);
    this.status = make('the status item', () => new StatusItem(settings, onTick));
    this.status.show();
    make('the .env files', () => whenOpened(isNamedEnv, () => startEnvFile(keys)));
    make('the template files', () => whenOpened(isTemplateFile, startTemplateFiles));
    this.#models = make('the models of the chat', () => offerModels(this.chat));
    this.#listen(make, keys);
    make('the end', () => ({ dispose: () => this.#end() }));
    this.#inBackground(this.#showWhetherSetUp());
  }

  get extension() {
    return this.#context.extension;
  }

  readonly runtime = () => this.#runtime.get();
  readonly runtimeIfMade = async () => this.#runtime.ifMade;
  readonly jobs = async () => (await this.#parts.get()).jobs;
  readonly chat = () => this.#chat.get();
  readonly watches = async () => (await this.#parts.get()).watches;
  readonly usage = async () => (await this.#parts.get()).usage;

  async #makeChat(): Promise<Chat> {
    const { ChatProvider, GenerateTool } = await chatModule();
    const onModelsChange = () => this.#models.refresh();
    const provider = new ChatProvider(this, this.#context.extension.id, onModelsChange);
    return { provider, tool: new GenerateTool(provider) };
  }

  #makeConnections(keys: KeyStore): Connections {
    const { secrets, globalState, workspaceState } = this.#context;
    return new Connections({
      keys,
      approvals: new Approvals(secrets, globalState),
      workspaceState,
      environment: process.env,
      runtime: this.runtime,
      runtimeIfMade: () => this.#runtime.ifMade,
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
    listen('sign-outs', connections.onDidSignOut, async () =>
      (await chatModule()).forgetCallers(this.globalState),
    );
    listen('keys', keys.onDidChange, () =>
      this.status.update({ lastFailure: undefined, unreachable: false }),
    );
    listen('settings', onDidChangeSettings, () => this.status.update({ unreachable: false }));
    listen('the window', window.onDidChangeWindowState, () => this.#keepFresh());
  }

  /** Nobody waits for it; a failure of it still must not pass unseen. */
  #inBackground(work: unknown): void {
    Promise.resolve(work).catch((error: unknown) => {
      this.log.error(`in the background: ${nameOf(error)}`);
    });
  }

  async #makeRuntime(): Promise<ServiceRuntime> {
    const [{ ServiceRuntime, isOutOfReach }, { trafficOf }] = await Promise.all([
      import('./service/serviceRuntime.ts'),
      lazyModules(),
    ]);
    return new ServiceRuntime({
      onTokenState: (token) => this.#onTokenState(token, isOutOfReach),
      onTraffic: (live) => this.status.update({ traffic: live && trafficOf(live) }),
    });
  }

  #onTokenState(token: TokenState, isOutOfReach: (error: unknown) => boolean): void {
    this.status.update({ token });
    this.history.tokenIs(token);
    const error = token.kind === 'valid' ? token.refreshError : 'error' in token && token.error;
    if (error) this.log.warn(`token: ${error.message}`);
    if (error || token.kind === 'valid') this.status.update({ unreachable: isOutOfReach(error) });
  }

  /** What commands share, made together since one file brings it. */
  async #makeParts() {
    const { Jobs, generationWatches, Usage } = await lazyModules();
    const usage = new Usage(this, this.#context.globalStorageUri);
    return { jobs: new Jobs(), watches: generationWatches(this), usage };
  }

  async #onConnectionsChange(): Promise<void> {
    const { current, obstacle } = this.connections;
    const active = current?.choice.kind === 'ready' ? current.choice.connection : undefined;
    const provenance = current && provenanceLines(current.found, current.choice);
    this.status.update({ obstacle, provenance, connection: active });
    this.#models.refresh();
    this.#inBackground(this.#parts.ifMade?.then(({ usage }) => usage.setActive(active)));
    await this.#showWhetherSetUp();
  }

  async #keepFresh(): Promise<void> {
    if (!window.state.focused || !this.#runtime.ifMade) return;
    // A token isn't refreshed after the connection in use has changed.
    await this.connections.refresh();
    (await this.#runtime.ifMade)?.keepTokenFresh();
  }

  async #showWhetherSetUp(): Promise<void> {
    const { settings, isSetUp, ...state } = await this.connections.state();
    this.#readSettings = settings;
    this.status.update({ isSetUp });
    setContextKey('isSetUp', isSetUp);
    setContextKey('canSignOut', state.canSignOut);
    setContextKey('refreshesTokens', state.refreshesTokens);
  }

  #end(): void {
    this.#inBackground(this.#runtime.ifMade?.then((made) => made.dispose()));
    this.#inBackground(this.#parts.ifMade?.then(({ jobs }) => jobs.dispose()));
  }
}

const lazyModules = () => import('./commands/lazyModules.ts');
const chatModule = () => import('./chat/chat.ts');
const startEnvFile = async (keys: KeyStore) =>
  (await import('./envFile/envFileFeature.ts')).startEnvFile(keys);
const startTemplateFiles = async () =>
  (await import('./templates/templateFeature.ts')).startTemplateFiles();

function isNamedEnv({ uri }: Pick<TextDocument, 'uri'>): boolean {
  return uri.path.endsWith('/.env');
}

/** All that may be told of a failure whose words are not our own. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown failure';
}

function showStorageIssue(what: StorageIssue): void {
  void window.showWarningMessage(STORAGE_MESSAGES[what]);
}
