import { setTimeout } from 'node:timers/promises';
import { type Uri, type WorkspaceFolder, window } from 'vscode';
import { missingText } from '../messages/settingLabels.ts';
import type { Credentials } from '../service/credentials.ts';
import { ServiceError } from '../service/errors.ts';
import { SharedTask } from '../service/sharedTask.ts';
import { cancellable } from '../ui/progress.ts';
import type { ApprovalAnswer } from './approvalAnswers.ts';
import { addressText, lookedText, projectText, vendorText } from './credentialMessages.ts';
import { activeFolder, onlyFolder } from './folders.ts';
import { folderKey, Looks } from './looks.ts';
import { askInstead, askSource, reportSetting, warnOfLeftKey } from './questions.ts';
import { runSetUp, type SetUpReason, settleDestination } from './setUp.ts';
import type { SetUpOptions } from './setUpAnswers.ts';
import {
  choose,
  chooseWithoutFolder,
  externalSource,
  isQuestion,
  isUsable,
  type LookupResult,
  type SourceId,
  type SourceSelection,
  type SourceSnapshot,
  type UsableSource,
} from './sourceSelection.ts';
import {
  type FindOptions,
  findSources,
  forgetPreferences,
  keysOfFolders,
  preferSource,
} from './sources.ts';

/** What keeps a command from credentials: there are none, or they wait for a yes. */
export type Obstacle = 'none' | 'missing' | 'approval';

export interface AccessOptions extends FindOptions, SetUpOptions {
  /** Told what stands in the way, or no longer does; for the status item. */
  readonly onObstacle: (obstacle: Obstacle) => void;
  /** A signal that aborts at the next sign-out, in this window or another. */
  readonly signOutSignal: () => AbortSignal;
  /** Called with the sources of the active folder, and the selected one. */
  readonly onFound: (found: SourceSnapshot, choice: SourceSelection) => void;
}

/**
 * The one way to credentials. Finds them, asks for what is missing or needs approval, and says
 * which; until that is answered nothing with a credential is sent.
 */
export class CredentialAccess {
  readonly options: AccessOptions;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #looks = new Looks();
  /** What is being asked on behalf of each folder; the empty one is that of no folder. */
  readonly #asking = new Map<string, Promise<Credentials | undefined>>();

  constructor(options: AccessOptions) {
    this.options = options;
  }

  /** Looks again if another folder is in front than the last time. */
  async lookIfMoved(): Promise<void> {
    if (this.#looks.haveMoved) await this.look();
  }

  /** What is found at this moment, for the folder in front or another one. Asks nothing. */
  async look(owner = activeFolder()): Promise<LookupResult> {
    const mayShow = this.#looks.begin(owner);
    const found = await findSources(this.options, owner);
    const choice = choose(found);
    if (mayShow()) this.options.onFound(found, choice);
    return { found, choice };
  }

  /**
   * The same for a user who waits: a keyring that asks for its password, or a folder far away, can
   * take long to answer.
   * @throws {ServiceError} `cancelled` if the user did not want to wait
   */
  lookUp(owner = activeFolder()): Promise<LookupResult> {
    return cancellable('reading the credentials…', (signal) =>
      new SharedTask(() => this.look(owner)).wait(signal),
    );
  }

  /**
   * The same for what must be shown although secret storage or the folder may never answer.
   * @param patienceMs milliseconds to wait for the answers
   * @returns undefined if they did not come in time
   */
  lookUpWithin(patienceMs: number, owner = activeFolder()): Promise<LookupResult | undefined> {
    return Promise.race([this.look(owner), setTimeout(patienceMs, undefined, { ref: false })]);
  }

  /**
   * Usable credentials, after asking for what stands in the way. Commands that wait at the same
   * time for the same folder are answered together: none asks what another one has asked.
   * @param uri whose folder may bring credentials; without one that of the active document
   * @returns undefined if the user gave up
   * @throws {ServiceError} `cancelled` if the user did not want to wait, or the window closes
   */
  require(uri?: Uri): Promise<Credentials | undefined> {
    // The folder of the moment at which the user asked, whatever is shown when it is answered.
    const owner = activeFolder(uri);
    const place = folderKey(owner);
    const asking = this.#asking.get(place);
    if (asking) return asking;
    const mine = this.#turn
      .then(() => this.#require(owner))
      .finally(() => this.#asking.delete(place));
    this.#asking.set(place, mine);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  /**
   * What may be used where there is no document, as in VS Code's chat: what the only folder brings,
   * else the editor's own, whatever is in front. Asks nothing, and takes nothing into use.
   */
  async lookWithoutDocument(): Promise<SourceSelection> {
    const owner = onlyFolder();
    const found = await findSources(this.options, owner);
    return owner ? choose(found) : chooseWithoutFolder(found, await keysOfFolders(found.settings));
  }

  /** Stands for a key where no key may be, the same in each window. See `Approvals`. */
  fingerprintOf({ apiKey }: Credentials, ...shown: readonly string[]): Promise<string> {
    return this.options.approvals.fingerprintOf(apiKey, ...shown);
  }

  /** The guided set-up, as `runSetUp` describes it. */
  async setUp(reason?: SetUpReason): Promise<boolean> {
    if (!(await runSetUp(this.options, reason))) return false;
    this.options.onObstacle('none');
    const { found } = await this.look();
    if (found.preferred) {
      // Who sets the editor up wants it to be used.
      await preferSource(this.options, found.folder, 'editor');
      await this.look();
    }
    return true;
  }

  /**
   * Lets a source go before the others in this folder. One that is not approved is asked about first,
   * so that closing the question leaves everything as it was.
   * @returns whether it is in use now
   */
  async prefer(id: SourceId): Promise<boolean> {
    const { found, source } = await this.#lookAt(id);
    if (source && !isUsable(source)) return false;
    const isApproved = !source || source.answer === 'approved';
    if (!isApproved && (await this.#settleSource(source, found)) !== 'approved') return false;
    await preferSource(this.options, found.folder, id);
    if (!source) await this.require();
    const { choice } = await this.look(found.folder.workspaceFolder);
    return choice.kind === 'ready' && choice.source === id;
  }

  /** Forgets what was answered about a source. */
  async forget(id: SourceId): Promise<void> {
    const { found, source } = await this.#lookAt(id);
    if (found.preferred === id) await preferSource(this.options, found.folder, 'editor');
    if (source?.subject) await this.options.approvals.forget(source.subject);
    await this.look();
  }

  /** Takes the values of a source into secret storage and the user settings, by the set-up. */
  async importFrom(id: SourceId): Promise<void> {
    const { found, source } = await this.#lookAt(id);
    if (source && isUsable(source)) await this.#importSource(source, found);
  }

  /**
   * Deletes the key, and every yes to another source; a no stays. Looks at no folder, which could be
   * out of reach.
   * @throws if secret storage keeps the key
   */
  async signOut(): Promise<void> {
    await this.options.approvals.forgetApproved();
    await forgetPreferences(this.options);
    await this.options.keys.delete();
  }

  async #require(owner: WorkspaceFolder | null): Promise<Credentials | undefined> {
    let hasSetUp = false;
    for (;;) {
      const signedOut = this.options.signOutSignal();
      // After a sign-out another signal takes its place, but not when the window closes.
      if (signedOut.aborted) throw new ServiceError('cancelled');
      const { found, choice } = await this.lookUp(owner);
      // What was found while somebody signed out may not be used any more.
      if (signedOut.aborted) continue;
      if (choice.kind === 'ready') {
        this.options.onObstacle('none');
        return choice.credentials;
      }
      // What is still missing after a set-up is nothing that another one would bring.
      if (choice.kind === 'missing' && hasSetUp) return undefined;
      hasSetUp ||= choice.kind === 'missing';
      if (!(await this.#settle(found, choice))) return undefined;
    }
  }

  /** Asks what has to be asked. @returns false if the user gave up */
  async #settle(
    found: SourceSnapshot,
    choice: Exclude<SourceSelection, { kind: 'ready' }>,
  ): Promise<boolean> {
    const { onObstacle } = this.options;
    if (isQuestion(choice)) onObstacle('approval');
    switch (choice.kind) {
      case 'unapproved':
        return settleDestination(this.options.keys, found, choice);
      case 'ask-source':
        if (!(await this.#settleSource(choice.source, found))) return false;
        onObstacle('none');
        return true;
      case 'bad-vendor':
        reportSetting(vendorText(choice.problem));
        return false;
      case 'chosen-unusable':
        if (!(await askInstead(choice.source, found))) return false;
        await preferSource(this.options, found.folder, 'editor');
        return true;
      case 'bad-project':
        reportSetting(projectText(found.settings));
        return false;
      case 'bad-address':
        reportSetting(addressText(choice));
        return false;
      case 'missing':
        onObstacle('missing');
        void window.showWarningMessage(
          `${missingText(choice.names, found.settings)} ${lookedText(found)}`,
        );
        return this.setUp({ missing: choice.names });
    }
  }

  async #lookAt(id: SourceId) {
    const { found } = await this.lookUp();
    return { found, source: externalSource(found, id) };
  }

  /** @returns what is remembered about exactly these values now; undefined if the user gave up */
  async #settleSource(
    source: UsableSource,
    found: SourceSnapshot,
  ): Promise<ApprovalAnswer | undefined> {
    const answer = await askSource(source, found.folder);
    if (answer === 'import') return this.#importSource(source, found);
    if (answer) await this.options.approvals.remember(source.subject, answer);
    return answer;
  }

  /** @returns `refused` once the values are the editor's: they are not used from there any more */
  async #importSource(source: UsableSource, found: SourceSnapshot): Promise<'refused' | undefined> {
    const { id, values, vendor, subject } = source;
    if (!(await this.setUp({ found: { ...values, vendor } }))) return undefined;
    await this.options.approvals.remember(subject, 'refused');
    await preferSource(this.options, found.folder, 'editor');
    const { workspaceFolder } = found.folder;
    if (id === 'envFile' && workspaceFolder) warnOfLeftKey(workspaceFolder).catch(() => {});
    return 'refused';
  }
}
