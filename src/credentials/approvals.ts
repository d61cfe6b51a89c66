import { createHmac, randomBytes } from 'node:crypto';
import type { Memento } from 'vscode';
import type { Vault } from './vault.ts';

/**
 * What the user answered when a folder brought credentials or a project of its own. An answer
 * belongs to exactly the values it was given for: it is kept under a keyed hash of them, outside
 * the workspace, and any change of a value leads to another hash and so to the question again
 * (rules R3 and R4 of the threat model; approval by name was CVE-2025-54136 of another product).
 */

export type Answer = 'approved' | 'refused';

/** What an answer is about: every value that it depends on, in a fixed order. */
export type Subject = readonly [kind: 'source' | 'project', ...values: readonly string[]];

const SALT = 'hostedModel.approvalSalt';
const ANSWERS = 'hostedModel.approvals';
const SALT_BYTES = 32;
/** Old answers make room for new ones; a user who meets that question again loses nothing. */
const MOST_ANSWERS = 500;

export class Approvals {
  readonly #vault: Vault;
  readonly #state: Memento;

  constructor(vault: Vault, state: Memento) {
    this.#vault = vault;
    this.#state = state;
  }

  async answerFor(subject: Subject): Promise<Answer | undefined> {
    const answers = new Map(this.#answers());
    return answers.get(await this.#hash(subject));
  }

  async remember(subject: Subject, answer: Answer): Promise<void> {
    const hash = await this.#hash(subject);
    const others = this.#answers().filter(([known]) => known !== hash);
    await this.#state.update(ANSWERS, [...others, [hash, answer]].slice(-MOST_ANSWERS));
  }

  async forget(subject: Subject): Promise<void> {
    const hash = await this.#hash(subject);
    await this.#state.update(
      ANSWERS,
      this.#answers().filter(([known]) => known !== hash),
    );
  }

  #answers(): readonly (readonly [hash: string, answer: Answer])[] {
    return this.#state.get(ANSWERS, []);
  }

  async #hash(subject: Subject): Promise<string> {
    const salt = (await this.#vault.get(SALT)) ?? (await this.#makeSalt());
    return createHmac('sha256', salt).update(JSON.stringify(subject)).digest('hex');
  }

  /** Without the salt the hashes could be compared with guesses; it never leaves secret storage. */
  async #makeSalt(): Promise<string> {
    const salt = randomBytes(SALT_BYTES).toString('hex');
    await this.#vault.store(SALT, salt);
    // Another window may have made one at the same moment: the stored one holds.
    return (await this.#vault.get(SALT)) ?? salt;
  }
}
