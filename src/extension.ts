import { Disposable, type ExtensionContext, type TextDocument, window, workspace } from 'vscode';
import type { HostedModel } from './app.ts';
import { type OfferedModels, offerModels } from './chat/offerModels.ts';
import { type CommandHost, registerCommands } from './commands/registerCommands.ts';
import { onDidChangeSettings } from './config/configuration.ts';
import { readSettings } from './config/settings.ts';
import type { ConnectionStores } from './connection/connectionStores.ts';
import { activeFolder } from './connection/folders.ts';
import { KeyStore, type StorageIssue } from './connection/keyStore.ts';
import { readSetUpStatus, type SetUpStatus } from './connection/setUpStatus.ts';
import { forgetExternalSources, hasSignedOut } from './connection/signOutDetection.ts';
import { SourceApprovals } from './connection/sourceApprovals.ts';
import { STORAGE_MESSAGES } from './connection/storageMessages.ts';
import { ACTION_LABELS } from './messages/actions.ts';
import { ServiceError } from './service/errors.ts';
import type { Service } from './service/service.ts';
import { StatusItem } from './status/statusItem.ts';
import { loadTemplateFeature } from './templates/loadTemplateFeature.ts';
import { isTemplateFile } from './templates/templatePath.ts';
import { setContextKey } from './ui/contextKeys.ts';
import { errorName, type Log, openLog } from './ui/log.ts';
import { offer } from './ui/notify.ts';
import { whenOpened } from './ui/whenOpened.ts';

/**
 * Registers the commands, and creates the other parts (such as the status item and the chat models)
 * that a window needs before its first command runs. Doesn't send requests or read secrets. If a
 * part can't be created, its name is logged. The commands remain registered so that they can report
 * the failure.
 */
export function activate(context: ExtensionContext): void {
  const { subscriptions } = context;
  let startup: Startup | undefined;
  const hasAllCommands = registerCommands(() => startup, subscriptions);
  const parts = new DisposableStack();
  let latest = 'the log';
  /**
   * Creates a part and immediately registers it for disposal, because creating the next part can
   * fail.
   */
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
      startup = new Startup(context, log, make);
      subscriptions.push(parts);
    } else log.error('couldn’t start: another extension already uses one of the command names');
  } catch (error) {
    log?.error(`couldn’t start: ${latest} failed with ${errorName(error)}`);
    // Dispose the parts that were already created. Otherwise, they would keep listening and
    // updating the status bar.
    try {
      parts.dispose();
    } catch {
      // Ignore the error: a `DisposableStack` disposes all parts, even if disposing one of them
      // fails.
    }
  }
}

type Make = <Part extends Disposable>(name: string, make: () => Part) => Part;

/** The parts that a window needs before its first command runs. Loads the rest on demand. */
class Startup implements CommandHost {
  readonly log: Log;
  readonly #context: ExtensionContext;
  readonly #make: Make;
  readonly #stored: ConnectionStores;
  readonly #status: StatusItem;
  readonly #models: OfferedModels;
  /**
   * Listens for changes to keys, settings, and workspace trust until the app is loaded. From then
   * on, `Connections` listens for them.
   */
  readonly #listening: Disposable;
  #app: HostedModel | undefined;
  /** True if a command might get a connection without prompting the user. */
  #hasCredentials = false;
  /** Reads the settings that the tooltip shows. */
  #readSettings: SetUpStatus['readSettings'] = readSettings;

  constructor(context: ExtensionContext, log: Log, make: Make) {
    this.log = log;
    this.#context = context;
    this.#make = make;
    // VS Code keeps context keys when the extension host restarts, but a restart ends all
    // generations, so reset the key.
    setContextKey('isGenerating', false);
    const { secrets, globalState, workspaceState } = context;
    const keys = make('the key store', () => new KeyStore(secrets, globalState, showStorageIssue));
    const approvals = new SourceApprovals(secrets, globalState);
    this.#stored = { keys, approvals, workspaceState };
    const settings = () => this.#readSettings(activeFolder()?.uri);
    const onTick = () => this.#keepFresh();
    this.#status = make('the status item', () => new StatusItem(settings, onTick));
    make('editor support for .env files', () => whenOpened(isNamedEnv, () => startEnvFile(keys)));
    make('editor support for templates', () => whenOpened(isTemplateFile, startTemplateFiles));
    this.#models = make('the chat models', () =>
      offerModels(
        () => this.#app !== undefined || this.#hasCredentials,
        async () => (await this.#load()).loadChat(),
      ),
    );
    make('watching the window', () => window.onDidChangeWindowState(() => this.#keepFresh()));
    this.#listening = make('watching for changes', () => this.#listen(keys));
    this.#inBackground(this.#onChange());
  }

  readonly loadCommands = (): Promise<HostedModel> => this.#load();

  /** @throws {ServiceError} `cancelled` if the window closes while the code loads */
  async #load(): Promise<HostedModel> {
    if (this.#app) return this.#app;
    const { HostedModel } = await import('./app.ts');
    if (this.#app) return this.#app;
    const parts = this.#make('the code behind the commands', () => new DisposableStack());
    try {
      this.#app = new HostedModel({
        ...{ context: this.#context, log: this.log, status: this.#status, stored: this.#stored },
        make: (makePart) => parts.adopt(makePart(), (part) => part.dispose()),
        inBackground: (work) => this.#inBackground(work),
        updateSetUpState: (inUse) => this.#updateSetUpState(inUse),
        refreshModels: () => this.#models.refresh(),
      });
    } catch (error) {
      // Dispose the parts created so far, because the next command creates all of them again.
      parts.dispose();
      throw error;
    }
    this.#listening.dispose();
    // Settings listeners run with a delay, so disposing them may have dropped a pending call. Make
    // that call now.
    this.#inBackground(this.#onChange());
    return this.#app;
  }

  #listen(keys: KeyStore): Disposable {
    const onChange = () => this.#inBackground(this.#onChange());
    return Disposable.from(
      keys.onDidChange((isSignOut) => this.#inBackground(this.#onKeyChange(isSignOut))),
      onDidChangeSettings(onChange),
      workspace.onDidGrantWorkspaceTrust(onChange),
    );
  }

  /**
   * Logs the error if `work` is a promise that rejects. Used for promises that no caller awaits.
   */
  #inBackground(work: unknown): void {
    Promise.resolve(work).catch((error: unknown) => {
      this.log.error(`background work failed: ${errorName(error)}`);
    });
  }

  /** Refreshes the token if a refresh is due and this window has focus. */
  #keepFresh(): void {
    if (window.state.focused) this.#inBackground(this.#app?.keepFresh());
  }

  async #onKeyChange(isSignOut: boolean): Promise<void> {
    if (await hasSignedOut(this.#stored, isSignOut)) await forgetExternalSources(this.#stored);
    await this.#onChange();
  }

  /** Updates the setup state, and makes VS Code request the chat models again. */
  async #onChange(): Promise<void> {
    await this.#updateSetUpState();
    this.#models.refresh();
  }

  async #updateSetUpState(inUse?: Service): Promise<void> {
    const state = await readSetUpStatus(this.#stored, inUse);
    const { isSetUp, hasKey, refreshesTokens, canSignOut } = state;
    this.#readSettings = state.readSettings;
    this.#hasCredentials = canSignOut;
    this.#status.update({ isSetUp, hasKey, refreshesTokens });
    setContextKey('isSetUp', isSetUp);
    setContextKey('canSignOut', canSignOut);
    setContextKey('refreshesTokens', refreshesTokens);
  }
}

async function startEnvFile(keys: KeyStore): Promise<Disposable> {
  const { startEnvFile: start } = await import('./envFile/envFileFeature.ts');
  return start(keys);
}

async function startTemplateFiles(): Promise<Disposable> {
  return (await loadTemplateFeature()).startTemplateFiles();
}

function isNamedEnv({ uri }: Pick<TextDocument, 'uri'>): boolean {
  return uri.path.endsWith('/.env');
}

function showStorageIssue(what: StorageIssue): void {
  offer('warning', STORAGE_MESSAGES[what], ACTION_LABELS.diagnose, 'hostedModel.diagnose');
}
