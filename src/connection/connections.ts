import {
  type Disposable,
  EventEmitter,
  type Memento,
  type WorkspaceFolder,
  window,
  workspace,
} from 'vscode';
import { onDidChangeSettings } from '../config/configuration.ts';
import { type CredentialSource, readSettings } from '../config/settings.ts';
import type { Connection } from '../service/connection.ts';
import type { SourceId } from '../service/credentials.ts';
import { ServiceError } from '../service/errors.ts';
import type { Service } from '../service/service.ts';
import type { ServiceRuntime } from '../service/serviceRuntime.ts';
import { SharedTask } from '../service/sharedTask.ts';
import { openSettingsOfWorkspace } from '../ui/openSettings.ts';
import { cancellable } from '../ui/progress.ts';
import { ActiveConnection, folderKey, type Obstacle } from './activeConnection.ts';
import { changeKey } from './changeKey.ts';
import { choiceOf, editorChoices, readyConnection } from './createConnection.ts';
import { offerToSwitch, settleUnusable, writeCredentialSource } from './credentialSourceSetting.ts';
import { activeFolder, onlyFolder } from './folders.ts';
import {
  importSource,
  type ResolveOptions,
  resolveObstacle,
  resolveSource,
  type SetUpReason,
} from './resolveObstacle.ts';
import { rememberServiceSettings, useForSelections } from './serviceSettingsWriter.ts';
import { forgetExternalSources, hasSignedOut } from './signOutDetection.ts';
import { choose, chooseWithoutFolder, externalSource, type Lookup } from './sourceSelection.ts';
import { type FindOptions, findSources } from './sources.ts';
import { isUsable } from './sourceTypes.ts';
import { onDidChangeEnvFile } from './workspaceEnvFiles.ts';

export interface ConnectionsOptions extends FindOptions, Pick<ResolveOptions, 'inBackground'> {
  /** VS Code stores this state outside the workspace folders, so a repository can't change it. */
  readonly workspaceState: Memento;
  readonly runtime: ServiceRuntime;
  /** Runs the setup steps. Resolves to true if credentials were saved. */
  readonly runSetUp: (reason?: SetUpReason) => Promise<boolean>;
}

/**
 * This window's connections. Finds credentials in their sources, prompts for missing values and
 * approvals, and tracks the active folder's connection.
 */
export class Connections implements Disposable {
  readonly #options: ConnectionsOptions;
  readonly #active: ActiveConnection;
  readonly #signOuts = new EventEmitter<void>();
  readonly #listening: readonly Disposable[];
  #lastPrompt: Promise<unknown> = Promise.resolve();
  /** Pending calls to `for`, keyed by `folderKey`. */
  readonly #openPrompts = new Map<string, Promise<Connection | undefined>>();
  #signedOut = new AbortController();

  /** Fires after a sign-out in any window. */
  readonly onDidSignOut = this.#signOuts.event;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    const { keys, inBackground, workspaceState } = options;
    this.#active = new ActiveConnection({ workspaceState, peek: (owner) => this.peek(owner) });
    const refresh = () => inBackground(this.#active.refresh());
    this.#listening = [
      keys.onDidChange((isSignOut) => inBackground(this.#onKeyChange(isSignOut))),
      onDidChangeSettings(refresh),
      workspace.onDidGrantWorkspaceTrust(refresh),
      window.onDidChangeActiveTextEditor(() => inBackground(this.#active.follow())),
      // The user may have fixed the mistake that the status item shows.
      onDidChangeEnvFile(refresh),
      // The chat's connection depends on which folders are open.
      workspace.onDidChangeWorkspaceFolders(refresh),
    ];
  }

  /**
   * Fires after a change to keys, settings, `.env` files, trust, folders, approvals, or the active
   * folder's connection or obstacle.
   */
  get onDidChange(): ActiveConnection['onDidChange'] {
    return this.#active.onDidChange;
  }

  /**
   * Aborts at the next sign-out in any window, or when this window closes. After a sign-out, a new
   * signal replaces the aborted signal.
   */
  get signOutSignal(): AbortSignal {
    return this.#signedOut.signal;
  }

  /** See `ActiveConnection.lookup`. */
  get current(): Lookup | undefined {
    return this.#active.lookup;
  }

  /** The active folder's connection. Undefined if the last lookup found no connection. */
  get active(): Connection | undefined {
    return readyConnection(this.current?.choice);
  }

  /** The obstacle that the last command for the active folder ran into. */
  get obstacle(): Obstacle {
    return this.#active.obstacle;
  }

  /**
   * Returns the connection for a folder. Prompts for missing values and approvals. Simultaneous
   * calls for the same folder share one prompt.
   * @param owner null for documents outside the workspace; defaults to the active folder
   * @returns undefined if an obstacle remains, for example because the user canceled or has to fix
   * the settings first
   * @throws {ServiceError} `cancelled` if the user stops waiting or the window closes
   */
  for(owner = activeFolder()): Promise<Connection | undefined> {
    const place = folderKey(owner);
    const asking = this.#openPrompts.get(place);
    if (asking) return asking;
    const mine = this.#lastPrompt
      .then(() => this.#require(owner))
      .finally(() => this.#openPrompts.delete(place));
    this.#openPrompts.set(place, mine);
    this.#lastPrompt = mine.catch(() => {});
    return mine;
  }

  /**
   * Looks up the connection for a folder, without prompting. The result contains a connection or an
   * obstacle.
   */
  async peek(owner = activeFolder()): Promise<Lookup> {
    const found = await findSources(this.#options, owner);
    return { found, choice: choiceOf(found, choose(found), this.#options.runtime) };
  }

  /**
   * Like `peek`, but lets the user cancel, because a keyring or a remote folder can be slow. Also
   * updates `current` if the folder is active.
   * @throws {ServiceError} `cancelled` if the user stops waiting
   */
  peekWithProgress(owner = activeFolder()): Promise<Lookup> {
    return cancellable('Reading the credentials', (signal) =>
      new SharedTask(() => this.#active.look(owner)).wait(signal),
    );
  }

  /**
   * Returns the connection that VS Code's chat uses, without prompting. Chat requests aren't tied
   * to a document. If exactly one folder is open, chat uses that folder's connection. Otherwise, it
   * uses the editor source, unless the settings name another source. Undefined if there is an
   * obstacle, even if another service is set up.
   */
  async inChat(): Promise<Connection | undefined> {
    const { choice } = await this.#lookUpForChat();
    return readyConnection(choice);
  }

  /**
   * Returns a connection for each service that is set up. The connection that VS Code's chat uses
   * comes first. Leaves out that connection if an obstacle blocks it. Never prompts.
   */
  async all(): Promise<readonly Connection[]> {
    const { runtime } = this.#options;
    const { found, choice: first } = await this.#lookUpForChat();
    const { service: inUse } = readyConnection(first) ?? found.settings;
    const others = await editorChoices(found, inUse, runtime);
    return [first, ...others].flatMap((one) => readyConnection(one) ?? []);
  }

  async #lookUpForChat(): Promise<Lookup> {
    const owner = onlyFolder();
    const unused = owner ? [] : workspace.workspaceFolders;
    const found = await findSources(this.#options, owner, unused);
    const selection = owner ? choose(found) : chooseWithoutFolder(found);
    return { found, choice: choiceOf(found, selection, this.#options.runtime) };
  }

  /**
   * Returns a keyed hash that identifies a connection's key, or its service if there is no key.
   * Unless secret storage fails, the hash is the same in every window.
   * @param shown additional values to include in the hash
   */
  fingerprintOf(connection: Connection, ...shown: readonly string[]): Promise<string> {
    return this.#options.approvals.fingerprintOf(connection, ...shown);
  }

  /** See `SourceApprovals.lastSignOut`. */
  lastSignOut(): Promise<string> {
    return this.#options.approvals.lastSignOut();
  }

  /** Repeats the lookup for the active folder. Does nothing before the first lookup. */
  async refresh(): Promise<void> {
    await this.#active.repeatLookup();
  }

  /**
   * Runs setup. If another source stays in use because the settings name it, offers to use the new
   * credentials instead.
   * @param owner the folder that needs the credentials
   * @returns true if credentials were saved and no setting keeps them from being used
   */
  async setUp(reason?: SetUpReason, owner = activeFolder()): Promise<boolean> {
    if (!(await this.#options.runSetUp(reason))) return false;
    this.#active.clearObstacles();
    // `importSource` offers to switch once it has recorded the import.
    if (reason?.imported) return true;
    const looked = await this.#active.look(owner);
    const offer = offerToSwitch(looked, () => this.useSource('editor', owner));
    if (!offer || reason?.isRepair) return offer ?? true;
    this.#options.inBackground(offer);
    return false;
  }

  /**
   * Lets the user correct the credentials, or import those from another source.
   * @returns true if credentials were saved and are in use
   */
  changeKey(owner = activeFolder()): Promise<boolean> {
    return changeKey(this.#resolveOptions(owner));
  }

  /**
   * Lets the user change the project during setup. If a workspace, folder, or remote machine sets
   * the project, opens the settings instead, because that project would override the one from
   * setup.
   * @returns the result of `setUp`; false if the settings were opened instead
   */
  async changeProject(owner = activeFolder()): Promise<boolean> {
    const { isProjectOverridden, resource } = readSettings(owner?.uri);
    if (!isProjectOverridden) return this.setUp({ missing: ['projectId'], isRepair: true }, owner);
    await openSettingsOfWorkspace(`hostedModel.${resource}Id`);
    return false;
  }

  /**
   * Sets `hostedModel.credentialSource` for a folder. If the source isn't approved, prompts before
   * writing so that closing the prompt changes nothing.
   * @returns true if the setting was written and the source is now in use; for `auto`, true if the
   * setting was written
   */
  async useSource(value: CredentialSource, owner = activeFolder()): Promise<boolean> {
    const { found, source } = await this.#lookAt(value, owner);
    if (source && !isUsable(source)) return false;
    const isApproved = !source || source.decision === 'approved';
    if (
      !isApproved &&
      (await resolveSource(this.#resolveOptions(owner), source, found)) !== 'approved'
    ) {
      // The user may have just declined the source that the settings name, so repeat the lookup.
      await this.#active.look(owner);
      return false;
    }
    if (!(await writeCredentialSource(value, owner?.uri))) return false;
    // Prompt for values that the editor source lacks.
    if (value === 'editor') await this.for(owner);
    const { choice } = await this.#active.look(owner);
    return value === 'auto' || readyConnection(choice)?.source === value;
  }

  /**
   * If a service is set up, changes the settings so that it's used for selections. If the settings
   * name a source that can't be used for the service, offers to use the other sources. If the
   * settings still name that source afterward, undoes the change.
   * @param modelId the model to use; empty for the service's default
   * @returns undefined if the service isn't set up; false if the change was undone
   */
  async useForSelections(
    service: Service,
    modelId = '',
    owner = activeFolder(),
  ): Promise<boolean | undefined> {
    const restoreSettings = rememberServiceSettings();
    if (!(await useForSelections(this.#options.keys, service, modelId))) return undefined;
    const { found, choice } = await this.#active.look(owner);
    if (choice.kind !== 'source-unusable') return true;
    const isSettled = await settleUnusable(choice.source, found);
    if (!isSettled) await restoreSettings();
    return isSettled;
  }

  /** Deletes the user's decision about using a source in a folder. */
  async forget(id: SourceId, owner = activeFolder()): Promise<void> {
    const { source } = await this.#lookAt(id, owner);
    if (source?.subject) await this.#options.approvals.forget(source.subject);
    await this.#active.look(owner);
  }

  /**
   * Runs setup to copy a source's values to secret storage and the user settings.
   * @param isRepair see `SetUpReason`
   * @returns true if the values were saved and, for a repair, if no other source stays in use
   */
  async importFrom(id: SourceId, owner = activeFolder(), isRepair = false): Promise<boolean> {
    const { found, source } = await this.#lookAt(id, owner);
    if (!source || !isUsable(source)) return false;
    return importSource(this.#resolveOptions(owner), source, found, { isRepair });
  }

  /**
   * Deletes the stored keys and revokes all approvals. Declined sources stay declined. Doesn't wait
   * for folder reads to finish, because a remote folder may not respond.
   * @throws if secret storage fails to delete a key
   */
  async signOut(): Promise<void> {
    // Cancel the requests before waiting for secret storage, because the keyring may prompt for a
    // password.
    this.#endRequests();
    try {
      await this.#options.approvals.forgetApproved();
      await this.#options.keys.delete();
    } catch (error) {
      this.#endRequests();
      // Fire `onDidChange` so that its listeners unsubscribe from the discarded tokens.
      this.#options.inBackground(this.#active.refresh());
      throw error;
    }
  }

  dispose(): void {
    this.#signedOut.abort();
    for (const one of this.#listening) one.dispose();
    this.#active.dispose();
    this.#signOuts.dispose();
  }

  #resolveOptions(owner: WorkspaceFolder | null): ResolveOptions {
    return {
      ...this.#options,
      setUp: (reason) => this.setUp(reason, owner),
      useEditor: () => this.useSource('editor', owner),
      onObstacle: (obstacle) => this.#active.setObstacle(obstacle, owner),
      lookUp: () => this.peekWithProgress(owner),
    };
  }

  async #onKeyChange(isSignOut: boolean): Promise<void> {
    if (await hasSignedOut(this.#options, isSignOut)) {
      this.#endRequests();
      // Signing out invalidates the approvals, so no external source is in use anymore.
      await forgetExternalSources(this.#options);
      this.#signOuts.fire();
    }
    await this.#active.refresh();
  }

  #endRequests(): void {
    this.#signedOut.abort();
    this.#signedOut = new AbortController();
    this.#options.runtime.forgetTokens();
  }

  async #require(owner: WorkspaceFolder | null): Promise<Connection | undefined> {
    let hasPrompted = false;
    for (;;) {
      const signedOut = this.signOutSignal;
      // A sign-out replaces the signal, so an aborted signal means that the window is closing.
      if (signedOut.aborted) throw new ServiceError('cancelled');
      const { found, choice } = await this.peekWithProgress(owner);
      // Repeat the lookup if the user signed out in the meantime.
      if (signedOut.aborted) continue;
      if (choice.kind === 'ready') {
        this.#active.setObstacle('none', owner);
        return choice.connection;
      }
      const options = this.#resolveOptions(owner);
      const outcome = await resolveObstacle(options, found, choice, hasPrompted);
      if (!outcome) return undefined;
      hasPrompted ||= outcome === 'declined' || choice.kind === 'missing';
    }
  }

  async #lookAt(id: CredentialSource, owner: WorkspaceFolder | null) {
    const { found } = await this.peekWithProgress(owner);
    return { found, source: externalSource(found, id) };
  }
}
