import type { Memento, QuickPickItem } from 'vscode';
import { isVSCode } from '../privateApi.ts';
import type { Connection } from '../service/connection.ts';
import { oneLine } from '../ui/oneLine.ts';

/**
 * The user's decisions about other extensions. VS Code lets every extension call the models of any
 * other extension, without notice to the user. These checks are no security boundary, because code
 * in the same process can use any name.
 */

const DECISIONS = 'hostedModel.callers';
const MAX_DECISIONS = 100;

interface CallerDecision {
  /** ID of the extension in lower case; empty if VS Code doesn't report it. */
  readonly id: string;
  readonly isAllowed: boolean;
  /** Hash of the key, and of the host and project shown in the prompt. */
  readonly fingerprint: string;
}

export interface CallersOptions {
  readonly state: Memento;
  /** ID of this extension. */
  readonly ownId: string;
  readonly fingerprintOf: (connection: Connection, ...shown: readonly string[]) => Promise<string>;
  readonly ask: (id: string, connection: Connection) => Promise<boolean>;
}

export class ChatCallers {
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
   * Prompts once for each combination of caller, key, host, and project. A decision covers only the
   * values that were shown.
   * @param signedOut aborts at a sign-out; a decision made after that is discarded
   */
  async mayCall(id: string, connection: Connection, signedOut: AbortSignal): Promise<boolean> {
    if (this.isTrusted(id)) return true;
    const { approved, resource = 'project', projectId } = connection;
    const shown = [approved.service, resource, projectId];
    const fingerprint = await this.#options.fingerprintOf(connection, ...shown);
    const known = this.#kept().find((one) => one.id === id && one.fingerprint === fingerprint);
    if (known) return known.isAllowed;
    const key = `${id} ${fingerprint}`;
    const asking =
      this.#asking.get(key) ??
      this.#ask({ id, fingerprint }, connection, signedOut).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  /** The user's decisions about other extensions, for the menu. */
  rows(): CallerRow[] {
    const answers = new Map(this.#kept().map((one) => [one.id, one]));
    return [...answers.values()].map(({ id, isAllowed }) => ({
      caller: id,
      label: `$(extensions) ${oneLine(id) || 'An extension without a name'}`,
      description: isAllowed ? 'may use it' : 'may not use it',
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

/** Forgets all decisions, because the user signed out. */
export async function forgetCallers(state: Memento): Promise<void> {
  await state.update(DECISIONS, undefined);
}
