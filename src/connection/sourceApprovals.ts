import { createHmac, randomBytes } from 'node:crypto';
import type { Memento, SecretStorage } from 'vscode';
import type { Connection } from '../service/connection.ts';
import { Secret } from '../service/secret.ts';
import { LAST_SIGN_OUT } from './keyStore.ts';

/**
 * The user's decisions about credentials from a `.env` file or the environment. A decision applies
 * only to the exact values that the user decided about. It's stored outside the workspace, with a
 * keyed hash of the values. If a value changes, so does the hash, and the user is prompted again
 * (R3 and R4 in docs/threat-model.md). In another product, approval by name alone led to
 * CVE-2025-54136.
 */

export type ApprovalDecision = 'approved' | 'declined';

/**
 * `lastSignOut` is the value of `LAST_SIGN_OUT` in secret storage at the time of the decision. If
 * that value has changed since then, an approval no longer applies. All VS Code profiles share
 * secret storage, but each has its own state, so a sign-out can't delete other profiles' approvals.
 */
type HashedDecision = readonly [
  hash: string,
  decision: ApprovalDecision,
  lastSignOut?: string,
  /**
   * Hashes of the individual values, used to name the ones that have changed since the decision.
   */
  valueHashes?: readonly string[],
];

/** Every value that a decision depends on, including the key, in the order of `SUBJECT_VALUES`. */
export type Subject = Secret<readonly [kind: 'source', ...values: readonly string[]]>;

const SUBJECT_VALUES = [
  'source',
  'folder',
  'service',
  'entry',
  'authUrl',
  'account',
  'apiKey',
  'resource',
  'projectId',
  'url',
] as const;

export type SubjectValue = (typeof SUBJECT_VALUES)[number];

export function subjectOf(values: Readonly<Record<SubjectValue, string>>): Subject {
  return new Secret(['source', ...SUBJECT_VALUES.map((name) => values[name])]);
}

const HASH_KEY_NAME = 'hostedModel.approvalSalt';
const DECISIONS = 'hostedModel.approvals';
const HASH_KEY_BYTES = 32;
/** The length of a value's hash, in hexadecimal digits. Long enough to notice any change. */
const VALUE_HASH_LENGTH = 16;
/**
 * Maximum number of stored decisions. Beyond that, the oldest decisions are deleted, and the user
 * is asked about those sources again.
 */
const MAX_DECISIONS = 500;

export class SourceApprovals {
  readonly #secrets: SecretStorage;
  readonly #state: Memento;
  /** The hash key to use if secret storage fails. Decisions then apply only in this window. */
  #windowHashKey: string | undefined;

  constructor(secrets: SecretStorage, state: Memento) {
    this.#secrets = secrets;
    this.#state = state;
  }

  /**
   * Returns a keyed hash that identifies the API key, or the service if there is no key. The hash
   * can be stored in places where the key must not be stored.
   * @param shown additional values to include in the hash
   */
  async fingerprintOf(connection: Connection, ...shown: readonly string[]): Promise<string> {
    return connection.fingerprint(
      (await this.#readHashKey()) ?? (await this.#makeHashKey()),
      shown,
    );
  }

  /**
   * Returns a value that changes with each sign-out. Empty before the first sign-out, or if secret
   * storage can't be read.
   */
  async lastSignOut(): Promise<string> {
    return (await this.#read(LAST_SIGN_OUT)) ?? '';
  }

  /**
   * Returns the stored decision, if any. Ignores an approval from before the latest sign-out. If
   * there's no hash key yet, doesn't create one, because no decision could have been stored without
   * one.
   */
  async decisionFor(subject: Subject): Promise<ApprovalDecision | undefined> {
    const hashKey = await this.#readHashKey();
    if (hashKey === undefined) return undefined;
    const hash = hashOf(subject, hashKey);
    const known = this.#decisions.find(([one]) => one === hash);
    if (!known) return undefined;
    const [, decision] = known;
    // A sign-out doesn't affect declined sources, so don't read secret storage for them.
    if (decision === 'approved' && hasEnded(known, await this.lastSignOut())) return undefined;
    return decision;
  }

  /**
   * Returns the values that have changed since the latest decision about the same source in the
   * same folder. Empty if there's no such decision.
   */
  async changedValues(subject: Subject): Promise<readonly SubjectValue[]> {
    const hashKey = await this.#readHashKey();
    if (hashKey === undefined) return [];
    const now = valueHashesOf(subject, hashKey);
    const before = this.#decisions
      .map(([, , , hashes = []]) => hashes)
      .findLast(([source, folder]) => source === now[0] && folder === now[1]);
    return SUBJECT_VALUES.filter((_, index) => before && before[index] !== now[index]);
  }

  /**
   * True if an approval is stored in this profile. It may no longer apply if the user signed out in
   * another profile while this profile had no open windows.
   */
  get hasApprovals(): boolean {
    return this.#decisions.some(([, decision]) => decision === 'approved');
  }

  remember(subject: Subject, decision: ApprovalDecision): Promise<void> {
    return this.#keep(subject, decision);
  }

  async forget(subject: Subject): Promise<void> {
    if (await this.decisionFor(subject)) await this.#keep(subject, undefined);
  }

  /** Deletes this profile's approvals for all folders. Declined sources stay declined. */
  async forgetApproved(): Promise<void> {
    const left = without(this.#decisions, ([, decision]) => decision === 'approved');
    await this.#state.update(DECISIONS, left);
  }

  /**
   * Deletes this profile's approvals that predate the latest sign-out, even if that was in another
   * profile.
   */
  async forgetEnded(): Promise<void> {
    // If there are no approvals, there's nothing to delete, so don't read secret storage.
    if (!this.hasApprovals) return;
    let lastSignOut: string;
    try {
      lastSignOut = (await this.#secrets.get(LAST_SIGN_OUT)) ?? '';
    } catch {
      // Without the value in secret storage, there's no way to know which approvals no longer
      // apply.
      return;
    }
    const left = without(this.#decisions, (one) => hasEnded(one, lastSignOut));
    await this.#state.update(DECISIONS, left);
  }

  async #keep(subject: Subject, decision: ApprovalDecision | undefined): Promise<void> {
    const lastSignOut = await this.lastSignOut();
    const hashKey = (await this.#readHashKey()) ?? (await this.#makeHashKey());
    const hash = hashOf(subject, hashKey);
    const valueHashes = valueHashesOf(subject, hashKey);
    // Don't `await` from here on. Otherwise, concurrent calls would overwrite each other's
    // decisions.
    const all = decision
      ? [
          ...this.#decisions.filter(([known]) => known !== hash),
          [hash, decision, lastSignOut, valueHashes] as const,
        ]
      : without(this.#decisions, ([known]) => known === hash);
    await this.#state.update(DECISIONS, all.slice(-MAX_DECISIONS));
  }

  get #decisions(): readonly HashedDecision[] {
    return this.#state.get(DECISIONS, []);
  }

  async #readHashKey(): Promise<string | undefined> {
    return (await this.#read(HASH_KEY_NAME)) ?? this.#windowHashKey;
  }

  async #read(name: string): Promise<string | undefined> {
    return this.#secrets.get(name).then(undefined, () => undefined);
  }

  async #makeHashKey(): Promise<string> {
    this.#windowHashKey ??= randomBytes(HASH_KEY_BYTES).toString('hex');
    const hashKey = this.#windowHashKey;
    try {
      // Keep the stored hash key, if any, because a new key would invalidate all earlier decisions.
      if ((await this.#secrets.get(HASH_KEY_NAME)) === undefined)
        await this.#secrets.store(HASH_KEY_NAME, hashKey);
    } catch {
      // Without secret storage, decisions apply only in this window.
    }
    // Another window may have stored its own hash key at the same time, so use whichever key is
    // stored now.
    return (await this.#readHashKey()) ?? hashKey;
  }
}

/**
 * Returns the decisions that aren't forgotten. For each forgotten decision, removes the value
 * hashes from all remaining decisions about the same source and folder. They're usually older, and
 * a comparison with them would include values that haven't changed since the forgotten decision.
 */
function without(
  decisions: readonly HashedDecision[],
  isForgotten: (decision: HashedDecision) => boolean,
): HashedDecision[] {
  const placeOf = ([, , , hashes]: HashedDecision) => hashes?.slice(0, 2).join();
  const forgotten = new Set(decisions.filter(isForgotten).map(placeOf));
  return decisions
    .filter((one) => !isForgotten(one))
    .map((one) => {
      const [hash, decision, lastSignOut = ''] = one;
      return forgotten.has(placeOf(one)) ? [hash, decision, lastSignOut] : one;
    });
}

function hasEnded([, decision, stored = '']: HashedDecision, lastSignOut: string): boolean {
  return decision === 'approved' && stored !== lastSignOut;
}

/**
 * Hashes a subject with a secret key. Without the key, the hash can't be used to check guesses at
 * the values.
 */
function hashOf(subject: Subject, hashKey: string): string {
  return keyedHash(Secret.open(subject), hashKey);
}

/** Returns a short keyed hash of each value. */
function valueHashesOf(subject: Subject, hashKey: string): readonly string[] {
  const [, ...values] = Secret.open(subject);
  return values.map((value, index) =>
    keyedHash([index, value], hashKey).slice(0, VALUE_HASH_LENGTH),
  );
}

function keyedHash(values: readonly unknown[], hashKey: string): string {
  return createHmac('sha256', hashKey).update(JSON.stringify(values)).digest('hex');
}
