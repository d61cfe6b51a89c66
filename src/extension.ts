import {
  type Disposable,
  type ExtensionContext,
  type Memento,
  type TextDocument,
  window,
  workspace,
} from 'vscode';
import { type Chat, type OfferedModels, offerModels } from './chat/offerModels.ts';
import type { App } from './commands/app.ts';
import { registerCommands } from './commands/commands.ts';
import { onDidChangeSettings, readStartupSettings } from './configuration.ts';
import { hasApprovals } from './credentials/approvalAnswers.ts';
import { KeyStore, type StorageIssue } from './credentials/keyStore.ts';
import type { ServiceState } from './credentials/listedService.ts';
import { readServiceState } from './credentials/serviceState.ts';
import type { SourceSelection } from './credentials/sourceSelection.ts';
import type { Credentials } from './service/credentials.ts';
import type { ServiceRuntime } from './service/serviceRuntime.ts';
import type { TokenState } from './service/token/tokenLife.ts';
import type { Vendor } from './service/vendors.ts';
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
  readonly history = new SessionHistory({ now: Date.now, monotonic: () => performance.now() });
  readonly #context: ExtensionContext;
  readonly #keys: KeyStore;
  readonly #runtime = new Lazy(() => this.#makeRuntime());
  readonly #parts = new Lazy(() => this.#makeParts());
  readonly #chat = new Lazy(() => this.#makeChat());
  readonly #models: OfferedModels;
  #signedOut = new AbortController();
  /** The service of the credentials in use; undefined if there are none, or nobody has looked. */
  #vendor: Vendor | undefined;
  /** Reads the settings of the service in use. */
  #readSettings: ServiceState['settings'] = readStartupSettings;

  constructor(context: ExtensionContext, log: Log, make: Make) {
    this.#context = context;
    this.log = log;
    this.globalState = context.globalState;
    const onIssue = (what: StorageIssue) => this.#inBackground(sayOfStorage(what));
    const keys = () => new KeyStore(context.secrets, this.globalState, onIssue);
    this.#keys = make('the key store', keys);
    const onTick = () => this.#inBackground(this.#keepFresh());
    const settings = () => this.#readSettings(window.activeTextEditor?.document.uri);
    this.status = make('the status item', () => new StatusItem(settings, onTick));
    this.status.show();
    make('the .env files', () => whenOpened(isNamedEnv, () => startEnvFile(this.#keys)));
    make('the template files', () => whenOpened(isTemplateFile, startTemplateFiles));
    this.#models = make('the models of the chat', () => offerModels(this.chat));
    this.#listen(make);
    make('the end', () => ({ dispose: () => this.#end() }));
    this.#inBackground(this.#showWhetherSetUp());
  }

  get extension() {
    return this.#context.extension;
  }

  /** Aborts when the user signs out, in this window or another, and is then replaced. */
  get signOutSignal(): AbortSignal {
    return this.#signedOut.signal;
  }

  readonly runtime = () => this.#runtime.get();
  readonly runtimeIfMade = async () => this.#runtime.ifMade;
  readonly access = async () => (await this.#parts.get()).access;
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

  #listen(make: Make): void {
    const listen = (
      to: string,
      event: (hear: () => void) => Disposable,
      onEvent: () => Promise<void>,
    ) => make(`listening to ${to}`, () => event(() => this.#inBackground(onEvent())));
    const lookIfMoved = async () => (await this.#parts.ifMade)?.access.lookIfMoved();
    const onKeyChange = (isSignOut: boolean) => this.#inBackground(this.#onKeyChange(isSignOut));
    make('listening to key changes', () => this.#keys.onDidChange(onKeyChange));
    listen('settings', onDidChangeSettings, () => this.#onSettingsChange());
    listen('the window', window.onDidChangeWindowState, () => this.#keepFresh());
    listen('editors', window.onDidChangeActiveTextEditor, lookIfMoved);
    listen('trust', workspace.onDidGrantWorkspaceTrust, () => {
      this.#models.refresh();
      return this.#lookAgain();
    });
  }

  /** Nobody waits for it; a failure of it still must not pass unseen. */
  #inBackground(work: PromiseLike<unknown> | undefined): void {
    void work?.then(undefined, (error: unknown) => {
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
    const error = token.kind === 'valid' ? token.renewalError : 'error' in token && token.error;
    if (error) this.log.warn(`token: ${error.message}`);
    if (error || token.kind === 'valid') this.status.update({ unreachable: isOutOfReach(error) });
  }

  /** What commands share, made together since one file brings it. */
  async #makeParts() {
    const {
      CredentialAccess,
      Approvals,
      Jobs,
      generationWatches,
      isQuestion,
      provenanceLines,
      Usage,
    } = await lazyModules();
    const { secrets, globalState, workspaceState, globalStorageUri } = this.#context;
    const access = new CredentialAccess({
      keys: this.#keys,
      approvals: new Approvals(secrets, globalState),
      workspaceState,
      environment: process.env,
      test: (credentials, signal) => this.#test(credentials, signal),
      isRefused: async (apiKey) => (await this.#runtime.ifMade)?.isRefused(apiKey) ?? false,
      onObstacle: (obstacle) => this.status.update({ obstacle }),
      signOutSignal: () => this.signOutSignal,
      onFound: (found, choice) => {
        const { obstacle } = this.status.facts;
        const isSettled = obstacle === 'approval' && !isQuestion(choice);
        const left = choice.kind === 'missing' ? 'missing' : 'none';
        this.status.update({
          provenance: provenanceLines(found, choice),
          obstacle: isSettled ? left : obstacle,
        });
        this.#inBackground(this.#onChoice(choice));
      },
    });
    const usage = new Usage(this, globalStorageUri);
    return { access, jobs: new Jobs(), watches: generationWatches(this), usage };
  }

  /** Token and usage that are shown belong to what may be used now, or to nobody. */
  async #onChoice(choice: SourceSelection): Promise<void> {
    const usable = choice.kind === 'ready' ? choice.credentials : undefined;
    this.#vendor = usable?.vendor;
    this.#inBackground(this.#runtime.ifMade?.then((made) => made.setActive(usable)));
    this.#inBackground(this.#parts.ifMade?.then(({ usage }) => usage.setActive(usable)));
    const { workspaceState } = this.#context;
    const isOutside = choice.kind === 'ready' && choice.source !== 'editor';
    const isNews = isOutside !== workspaceState.get(OUTSIDE, false);
    if (isNews) await workspaceState.update(OUTSIDE, isOutside);
    await this.#showWhetherSetUp();
    if (isNews) this.#models.refresh();
  }

  async #test(credentials: Credentials, signal: AbortSignal): Promise<void> {
    const { readSettings, settingsFor } = await lazyModules();
    const runtime = await this.runtime();
    await runtime.test(credentials, settingsFor(credentials.vendor, readSettings()), signal);
    setContextKey('isTested');
  }

  async #keepFresh(): Promise<void> {
    if (!window.state.focused || !this.#runtime.ifMade) return;
    // The source of the token may have changed since it was used: then it is not renewed.
    await this.#lookAgain();
    (await this.#runtime.ifMade)?.keepTokenFresh();
  }

  /** What may be used can have changed. Asks nothing; does nothing as long as nobody needed it. */
  async #lookAgain(): Promise<void> {
    const { obstacle, provenance } = this.status.facts;
    if (!this.#runtime.ifMade && obstacle !== 'approval' && !provenance) return;
    await (await this.access()).look();
  }

  async #showWhetherSetUp(): Promise<void> {
    const stored = await this.#keys.services();
    const ofService = await readServiceState(this.#keys, this.#vendor);
    this.#readSettings = ofService.settings;
    const isOutside = this.#context.workspaceState.get(OUTSIDE, false);
    const isSetUp = ofService.isSetUp || isOutside;
    this.status.update({ isSetUp });
    setContextKey('isSetUp', isSetUp);
    const canSignOut = isOutside || stored.length > 0 || hasApprovals(this.globalState);
    setContextKey('canSignOut', canSignOut);
    setContextKey('refreshesTokens', isSetUp && !ofService.sendsKey);
  }

  async #onKeyChange(isSignOut: boolean): Promise<void> {
    this.status.update({ lastFailure: undefined, unreachable: false });
    if (isSignOut || (await this.#keys.services()).length === 0) {
      this.#signedOut.abort();
      this.#signedOut = new AbortController();
      // Signing out forgets what was approved, too.
      await this.#context.workspaceState.update(OUTSIDE, undefined);
      (await this.#runtime.ifMade)?.forgetToken();
      await (await chatModule()).forgetCallers(this.globalState);
    }
    this.#models.refresh();
    await this.#showWhetherSetUp();
    await this.#lookAgain();
  }

  async #onSettingsChange(): Promise<void> {
    this.status.update({ unreachable: false });
    this.#models.refresh();
    await this.#showWhetherSetUp();
    await this.#lookAgain();
  }

  #end(): void {
    this.#signedOut.abort();
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

/** Says that a source outside the editor was in use here; nothing of its values. */
const OUTSIDE = 'hostedModel.usesOutsideSource';

async function sayOfStorage(what: StorageIssue): Promise<void> {
  const { STORAGE_MESSAGES } = await import('./credentials/credentialMessages.ts');
  await window.showWarningMessage(STORAGE_MESSAGES[what]);
}
