import { type Disposable, EventEmitter, type Memento, type WorkspaceFolder } from 'vscode';
import type { Connection } from '../service/connection.ts';
import { activeFolder } from './folders.ts';
import { isQuestion, type Lookup } from './sourceSelection.ts';
import { provenanceLines } from './sourceView.ts';

/** What stood in the way of the last command: nothing, missing settings, or a missing approval. */
export type Obstacle = 'none' | 'missing' | 'approval';

export interface ActiveConnectionOptions {
  /** State of this workspace, kept by VS Code outside of its folders. */
  readonly workspaceState: Memento;
  readonly peek: (owner: WorkspaceFolder | null) => Promise<Lookup>;
  /** Called with the connection that may be used now. */
  readonly onConnection: (connection: Connection | undefined) => Promise<void>;
}

/** True if a source outside the editor was in use in this workspace. Holds nothing of its values. */
const OUTSIDE = 'hostedModel.usesOutsideSource';

/**
 * What is in use in the active folder. Lookups take different times, and some are for a document in
 * the background: only the newest one for the active folder counts.
 */
export class ActiveConnection implements Disposable {
  readonly #options: ActiveConnectionOptions;
  readonly #changes = new EventEmitter<void>();
  #begun = 0;
  #shown = 0;
  /** The folder of the last lookup that began while this folder was active. */
  #place: string | undefined;
  #lookup: Lookup | undefined;
  #obstacle: Obstacle = 'none';

  readonly onDidChange = this.#changes.event;

  constructor(options: ActiveConnectionOptions) {
    this.#options = options;
  }

  /** The last lookup for the active folder; undefined until a command needs a connection. */
  get lookup(): Lookup | undefined {
    return this.#lookup;
  }

  get obstacle(): Obstacle {
    return this.#obstacle;
  }

  set obstacle(obstacle: Obstacle) {
    if (obstacle === this.#obstacle) return;
    this.#obstacle = obstacle;
    this.#changes.fire();
  }

  /** True if a source outside the editor was in use in this workspace the last time. */
  get usesOutsideSource(): boolean {
    return this.#options.workspaceState.get(OUTSIDE, false);
  }

  /** Peeks, and keeps the result if it is the newest one for the active folder. */
  async look(owner = activeFolder()): Promise<Lookup> {
    const place = folderKey(owner);
    const isActive = () => place === folderKey(activeFolder());
    if (isActive()) this.#place = place;
    this.#begun += 1;
    const turn = this.#begun;
    const lookup = await this.#options.peek(owner);
    if (turn >= this.#shown && isActive()) {
      this.#shown = turn;
      await this.#keep(lookup);
    }
    return lookup;
  }

  /** Looks again, once a command has needed a connection. */
  async lookAgain(): Promise<void> {
    if (this.#begun > 0) await this.look();
  }

  /** Looks again if the active folder has changed since the last lookup. */
  async follow(): Promise<void> {
    if (this.#place !== folderKey(activeFolder())) await this.lookAgain();
  }

  /** Fires `onDidChange`, and looks again: sources or settings changed. */
  async refresh(): Promise<void> {
    this.#changes.fire();
    await this.lookAgain();
  }

  /** Forgets that a source outside the editor was in use, as after signing out. */
  async forgetOutsideSource(): Promise<void> {
    await this.#options.workspaceState.update(OUTSIDE, undefined);
  }

  dispose(): void {
    this.#changes.dispose();
  }

  async #keep(lookup: Lookup): Promise<void> {
    const { choice } = lookup;
    const before = this.#lookup;
    this.#lookup = lookup;
    if (this.#obstacle === 'approval' && !isQuestion(choice)) {
      this.obstacle = choice.kind === 'missing' ? 'missing' : 'none';
    }
    const connection = choice.kind === 'ready' ? choice.connection : undefined;
    await this.#options.onConnection(connection);
    const isOutside = connection !== undefined && connection.source !== 'editor';
    if (isOutside !== this.usesOutsideSource) {
      await this.#options.workspaceState.update(OUTSIDE, isOutside);
    }
    if (!before || !isSame(before, lookup)) this.#changes.fire();
  }
}

/** Identifies a folder; empty for no folder. */
export function folderKey(folder: WorkspaceFolder | null): string {
  return folder?.uri.toString() ?? '';
}

/** True if two lookups lead to the same connection, or meet the same obstacle. */
function isSame(one: Lookup, other: Lookup): boolean {
  const shown = ({ found, choice }: Lookup) =>
    JSON.stringify([choice, provenanceLines(found, choice)]);
  if (shown(one) !== shown(other)) return false;
  if (one.choice.kind !== 'ready' || other.choice.kind !== 'ready') return true;
  return one.choice.connection.isSameAs(other.choice.connection);
}
