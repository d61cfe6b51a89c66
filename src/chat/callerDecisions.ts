import type { Memento, QuickPickItem } from 'vscode';
import type { Connection } from '../service/connection.ts';
import { oneLine } from '../ui/oneLine.ts';
import { isVSCode } from '../undocumentedApi.ts';

/**
 * Remembers the user's decisions about which other extensions may use the models. VS Code lets any
 * extension call another extension's models without notifying the user. The decisions aren't a
 * security boundary, because extensions share a process and can fake their IDs.
 */

const DECISIONS = 'hostedModel.callers';
const MAX_DECISIONS = 100;

interface CallerDecision {
  /** Extension ID in lowercase; empty if VS Code doesn't provide it. */
  readonly id: string;
  readonly isAllowed: boolean;
  /**
   * Keyed hash of everything that the decision covers: the API key (or the service, if there's no
   * key), the service address, and the project. The hash also covers the latest sign-out so that
   * earlier decisions stop matching, even in other VS Code profiles, where a sign-out can't delete
   * them.
   */
  readonly fingerprint: string;
}

export interface CallersOptions {
  readonly state: Memento;
  /** ID of this extension. */
  readonly ownId: string;
  readonly fingerprintOf: (connection: Connection, ...shown: readonly string[]) => Promise<string>;
  /** Returns a value that changes with each sign-out in any VS Code profile. */
  readonly lastSignOut: () => Promise<string>;
  readonly ask: (id: string, connection: Connection) => Promise<boolean>;
}

export class CallerDecisions {
  readonly #options: CallersOptions;
  readonly #asking = new Map<string, Promise<boolean>>();

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** True for VS Code itself, its chat, and this extension. */
  isTrusted(id: string): boolean {
    return isVSCode(id) || id === this.#options.ownId.toLowerCase();
  }

  /**
   * True if the caller may use the connection. Prompts the user once for each combination of
   * caller, key, service address, and project, and again after a sign-out. Never prompts for a
   * trusted caller.
   * @param signedOut aborts when the user signs out. A decision made after the sign-out isn't
   * stored, and the result is false.
   */
  async mayCall(id: string, connection: Connection, signedOut: AbortSignal): Promise<boolean> {
    if (this.isTrusted(id)) return true;
    const { approved, resource = 'project', projectId } = connection;
    const { fingerprintOf, lastSignOut } = this.#options;
    const covered = [approved.service, resource, projectId, await lastSignOut()];
    const fingerprint = await fingerprintOf(connection, ...covered);
    const known = this.#kept().find((one) => one.id === id && one.fingerprint === fingerprint);
    if (known) return known.isAllowed;
    const key = `${id} ${fingerprint}`;
    const asking =
      this.#asking.get(key) ??
      this.#ask({ id, fingerprint }, connection, signedOut).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  /** Returns the latest decision about each extension, as rows for *Show Status and Actions*. */
  rows(): CallerRow[] {
    const answers = new Map(this.#kept().map((one) => [one.id, one]));
    return [...answers.values()].map(({ id, isAllowed }) => ({
      caller: id,
      label: `$(extensions) ${oneLine(id) || 'Unidentified extension'}`,
      description: isAllowed ? 'allowed' : 'not allowed',
    }));
  }

  async forget(id: string): Promise<void> {
    await this.#options.state.update(
      DECISIONS,
      this.#kept().filter((one) => one.id !== id),
    );
  }

  async #ask(
    caller: Pick<CallerDecision, 'id' | 'fingerprint'>,
    connection: Connection,
    signedOut: AbortSignal,
  ): Promise<boolean> {
    const isAllowed = await this.#options.ask(caller.id, connection);
    if (signedOut.aborted) return false;
    const all = [...this.#kept(), { ...caller, isAllowed }];
    await this.#options.state.update(DECISIONS, all.slice(-MAX_DECISIONS));
    return isAllowed;
  }

  #kept(): readonly CallerDecision[] {
    return this.#options.state.get(DECISIONS, []);
  }
}

export interface CallerRow extends QuickPickItem {
  readonly caller: string;
}

/** Deletes this profile's decisions. Called when the user signs out. */
export async function forgetCallers(state: Memento): Promise<void> {
  await state.update(DECISIONS, undefined);
}
