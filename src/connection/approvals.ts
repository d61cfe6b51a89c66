import { createHmac, randomBytes } from 'node:crypto';
import type { Memento, SecretStorage } from 'vscode';
import type { Connection } from '../service/connection.ts';

/**
 * What the user answered when a folder brought credentials of its own. An answer
 * belongs to exactly the values it was given for: it is kept under a keyed hash of them, outside
 * the workspace, and any change of a value leads to another hash and so to the question again
 * (R3 and R4 of docs/threat-model.md; approval by name was CVE-2025-54136 of another product).
 */

export type ApprovalAnswer = 'approved' | 'refused';

type HashedAnswer = readonly [hash: string, answer: ApprovalAnswer];

/** What an answer is about: every value that it depends on, in a fixed order. */
export type Subject = readonly [kind: 'source', ...values: readonly string[]];

const SALT = 'hostedModel.approvalSalt';
const ANSWERS = 'hostedModel.approvals';
const SALT_BYTES = 32;
/** Old answers make room for new ones; a user who meets that question again loses nothing. */
const MOST_ANSWERS = 500;

export class Approvals {
  readonly #secrets: SecretStorage;
  readonly #state: Memento;
  /** For answers that hold in this window, where secret storage fails. */
  #windowSalt: string | undefined;

  constructor(secrets: SecretStorage, state: Memento) {
    this.#secrets = secrets;
    this.#state = state;
  }

  /**
   * A keyed hash that identifies a key in records that must not contain it.
   * @param shown further values that the hash covers
   */
  async fingerprintOf(connection: Connection, ...shown: readonly string[]): Promise<string> {
    return connection.fingerprint((await this.#salt()) ?? (await this.#makeSalt()), shown);
  }

  /** Looks only: where there is no salt yet, there are no answers. */
  async answerFor(subject: Subject): Promise<ApprovalAnswer | undefined> {
    const salt = await this.#salt();
    if (salt === undefined) return undefined;
    return new Map(this.#answers).get(hashOf(subject, salt));
  }

  /** True if a sign-out would forget an approval, in any folder. */
  get areAny(): boolean {
    return this.#answers.some(([, answer]) => answer === 'approved');
  }

  remember(subject: Subject, answer: ApprovalAnswer): Promise<void> {
    return this.#keep(subject, answer);
  }

  async forget(subject: Subject): Promise<void> {
    if (await this.answerFor(subject)) await this.#keep(subject, undefined);
  }

  /** Forgets every yes, in whichever folder; a no stays a no. */
  async forgetApproved(): Promise<void> {
    const refused = this.#answers.filter(([, answer]) => answer === 'refused');
    await this.#state.update(ANSWERS, refused);
  }

  async #keep(subject: Subject, answer: ApprovalAnswer | undefined): Promise<void> {
    const hash = hashOf(subject, (await this.#salt()) ?? (await this.#makeSalt()));
    const others = this.#answers.filter(([known]) => known !== hash);
    const all = answer ? [...others, [hash, answer] as const] : others;
    await this.#state.update(ANSWERS, all.slice(-MOST_ANSWERS));
  }

  get #answers(): readonly HashedAnswer[] {
    return this.#state.get(ANSWERS, []);
  }

  async #salt(): Promise<string | undefined> {
    const stored = await this.#secrets.get(SALT).then(undefined, () => undefined);
    return stored ?? this.#windowSalt;
  }

  async #makeSalt(): Promise<string> {
    this.#windowSalt ??= randomBytes(SALT_BYTES).toString('hex');
    const salt = this.#windowSalt;
    try {
      // Only where there is none: another one would make all earlier answers worthless.
      if ((await this.#secrets.get(SALT)) === undefined) await this.#secrets.store(SALT, salt);
    } catch {
      // The answers hold in this window alone.
    }
    // Another window may have made one at the same moment: the stored one holds.
    return (await this.#salt()) ?? salt;
  }
}

/** Without the salt the hashes could be compared with guesses; it never leaves secret storage. */
function hashOf(subject: Subject, salt: string): string {
  return createHmac('sha256', salt).update(JSON.stringify(subject)).digest('hex');
}
