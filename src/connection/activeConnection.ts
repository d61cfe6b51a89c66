import { type Disposable, EventEmitter, type Memento, type WorkspaceFolder } from 'vscode';
import { Secret } from '../service/secret.ts';
import { activeFolder } from './folders.ts';
import { USES_EXTERNAL_SOURCE } from './signOutDetection.ts';
import type { Subject } from './sourceApprovals.ts';
import { externalSource, type Lookup, needsApproval } from './sourceSelection.ts';
import { provenanceLines } from './sourceView.ts';

/** The obstacle that the last command ran into, if any: missing values or a missing approval. */
export type Obstacle = 'none' | 'missing' | 'approval';

export interface ActiveConnectionOptions {
  /** VS Code stores this state outside the workspace folders, so a repository can't change it. */
  readonly workspaceState: Memento;
  readonly peek: (owner: WorkspaceFolder | null) => Promise<Lookup>;
}

/**
 * Tracks the active folder's connection. Lookups can finish out of order, and some are for other
 * folders, so only the newest lookup for the active folder counts.
 */
export class ActiveConnection implements Disposable {
  readonly #options: ActiveConnectionOptions;
  readonly #changes = new EventEmitter<void>();
  #lookupsStarted = 0;
  #lookupShown = 0;
  /** The `folderKey` of the latest lookup that started while its folder was active. */
  #folderKey: string | undefined;
  #lookup: Lookup | undefined;
  /** The obstacle for each folder, keyed by `folderKey`. */
  readonly #obstacles = new Map<string, Obstacle>();
  /** The obstacle for the active folder when `#showObstacle` last ran. */
  #shownObstacle: Obstacle = 'none';

  readonly onDidChange = this.#changes.event;

  constructor(options: ActiveConnectionOptions) {
    this.#options = options;
  }

  /**
   * The last lookup for the active folder; undefined until the first lookup finishes. After the
   * user switches to another folder, this is still the previous folder's lookup until the new
   * lookup finishes.
   */
  get lookup(): Lookup | undefined {
    return this.#lookup;
  }

  /** The obstacle that the last command for the active folder ran into. */
  get obstacle(): Obstacle {
    return this.#obstacles.get(folderKey(activeFolder())) ?? 'none';
  }

  setObstacle(obstacle: Obstacle, owner: WorkspaceFolder | null): void {
    this.#obstacles.set(folderKey(owner), obstacle);
    this.#showObstacle();
  }

  clearObstacles(): void {
    this.#obstacles.clear();
    this.#showObstacle();
  }

  /**
   * Looks up the connection for a folder, and keeps the result if the folder is active and no newer
   * lookup has finished.
   */
  async look(owner = activeFolder()): Promise<Lookup> {
    const place = folderKey(owner);
    const isActive = () => place === folderKey(activeFolder());
    if (isActive()) this.#folderKey = place;
    this.#lookupsStarted += 1;
    const turn = this.#lookupsStarted;
    const lookup = await this.#options.peek(owner);
    if (turn >= this.#lookupShown && isActive()) {
      this.#lookupShown = turn;
      await this.#keep(lookup, owner);
    }
    return lookup;
  }

  /** Repeats the lookup for the active folder. Does nothing before the first lookup. */
  async repeatLookup(): Promise<void> {
    if (this.#lookupsStarted > 0) await this.look();
  }

  /**
   * Handles a switch to another document: updates the obstacle, and repeats the lookup if the
   * active folder has changed.
   */
  async follow(): Promise<void> {
    this.#showObstacle();
    if (this.#folderKey !== folderKey(activeFolder())) await this.repeatLookup();
  }

  /** Fires `onDidChange` and repeats the lookup. Called after sources or settings have changed. */
  async refresh(): Promise<void> {
    this.#changes.fire();
    await this.repeatLookup();
  }

  dispose(): void {
    this.#changes.dispose();
  }

  /** Fires `onDidChange` if the obstacle for the active folder has changed. */
  #showObstacle(): void {
    const { obstacle } = this;
    if (obstacle === this.#shownObstacle) return;
    this.#shownObstacle = obstacle;
    this.#changes.fire();
  }

  async #keep(lookup: Lookup, owner: WorkspaceFolder | null): Promise<void> {
    const { choice } = lookup;
    const before = this.#lookup;
    this.#lookup = lookup;
    const remains =
      this.obstacle === 'approval' ? needsApproval(choice) : choice.kind === 'missing';
    if (this.obstacle !== 'none' && !remains) {
      this.setObstacle(choice.kind === 'missing' ? 'missing' : 'none', owner);
    }
    if (before && hasLostApproval(before, lookup)) this.setObstacle('approval', owner);
    const isExternal = choice.kind === 'ready' && choice.connection.source !== 'editor';
    const { workspaceState } = this.#options;
    if (isExternal !== workspaceState.get(USES_EXTERNAL_SOURCE, false)) {
      await workspaceState.update(USES_EXTERNAL_SOURCE, isExternal);
    }
    if (!before || !isSame(before, lookup)) this.#changes.fire();
  }
}

/** Returns a string that identifies the folder. Empty if there is no folder. */
export function folderKey(folder: WorkspaceFolder | null): string {
  return folder?.uri.toString() ?? '';
}

/**
 * True if the values that were in use have changed and need to be approved again. False if the
 * approval was revoked, because the user already knows about it.
 */
function hasLostApproval(before: Lookup, { found, choice }: Lookup): boolean {
  if (before.choice.kind !== 'ready' || before.found.folder.uri !== found.folder.uri) return false;
  if (choice.kind !== 'ask-source') return needsApproval(choice);
  const { id, subject } = choice.source;
  if (id !== before.choice.connection.source) return false;
  const valuesOf = (values?: Subject) => JSON.stringify(values && Secret.open(values));
  return valuesOf(externalSource(before.found, id)?.subject) !== valuesOf(subject);
}

/** True if two lookups have the same tooltip lines and the same connection or obstacle. */
function isSame(one: Lookup, other: Lookup): boolean {
  const shown = ({ found, choice }: Lookup) =>
    JSON.stringify([choice, provenanceLines(found, choice)]);
  if (shown(one) !== shown(other)) return false;
  if (one.choice.kind !== 'ready' || other.choice.kind !== 'ready') return true;
  return one.choice.connection.isSameAs(other.choice.connection);
}
