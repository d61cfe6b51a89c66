import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { Uri, workspace } from 'vscode';
import { count, parseJson, shape } from '../service/schemaHelpers.ts';

const rowShape = shape({
  /** Identifies the key without containing it: see `Approvals.fingerprintOf`. */
  fingerprint: v.string(),
  model: v.string(),
  caller: v.picklist(['selection', 'chat', 'agent', 'other extension']),
  requests: count,
  inputTokens: count,
  outputTokens: count,
  /** True if the service did not count all of the tokens. */
  isEstimate: v.boolean(),
});

/** The sum of all requests of one model and caller with one key. */
export type UsageRow = Readonly<v.InferOutput<typeof rowShape>>;
export type UsedRequest = Omit<UsageRow, 'fingerprint' | 'requests'>;
export type UsedTokens = Omit<UsedRequest, 'model' | 'caller'>;
export type UsageTotal = UsedTokens & Pick<UsageRow, 'requests'>;

const KEPT_DAYS = 31;
const FILE_NAME = /^\d{4}-\d{2}-\d{2}-.*\.json$/;

/**
 * Counts requests and tokens. Each window has its own file per day, so no two windows write to the
 * same file. Today's usage is the sum of all files. Read and write errors are ignored, because they
 * must not block requests.
 */
export class UsageLedger {
  readonly #storage: Uri;
  readonly #now: () => number;
  readonly #window = randomUUID();
  /** The rows that this window has counted, by day. */
  readonly #counted = new Map<string, readonly UsageRow[]>();
  readonly #unsaved = new Set<string>();
  #saving: Promise<void> | undefined;

  /**
   * @param storage the extension's folder, which gets a subfolder for the counter files when needed
   * @param now wall-clock milliseconds
   */
  constructor(storage: Uri, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  /**
   * Counts a request. The first one of a window deletes files that are older than 31 days.
   * @returns a promise that resolves when the file is written or the write failed
   */
  record(fingerprint: string, request: UsedRequest): Promise<void> {
    const day = dayOf(this.#now());
    // Copies the fields one by one, so that nothing else of a request gets into a file.
    const { model, caller, inputTokens, outputTokens, isEstimate } = request;
    const row = { fingerprint, model, caller, requests: 1, inputTokens, outputTokens, isEstimate };
    if (this.#counted.size === 0) void this.deleteOldFiles();
    this.#counted.set(day, summed([...this.#mine(day), row]));
    this.#unsaved.add(day);
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  /** The usage of this window since it opened. */
  session(fingerprint: string): UsageRow[] {
    return summed([...this.#counted.values()].flat().filter(isOf(fingerprint)));
  }

  /**
   * Reads today's usage of other windows.
   * @returns a function that adds the usage of this window at the time of the call
   */
  async today(fingerprint: string): Promise<() => UsageRow[]> {
    const day = dayOf(this.#now());
    const others = await this.#rowsOfOthers(day);
    return () => summed([...others, ...this.#mine(day)].filter(isOf(fingerprint)));
  }

  #mine(day: string): readonly UsageRow[] {
    return this.#counted.get(day) ?? [];
  }

  /**
   * Deletes files that are older than 31 days.
   * @returns a promise that resolves when every deletion has succeeded or failed
   */
  async deleteOldFiles(): Promise<void> {
    const oldest = dayOf(this.#now(), KEPT_DAYS);
    const old = (await this.#fileNames()).filter((name) => name < oldest);
    await Promise.allSettled(old.map((name) => workspace.fs.delete(this.#uriOf(name))));
  }

  /**
   * Saves all unsaved days, one write at a time. Requests counted during a write are saved by the
   * next one.
   */
  async #save(): Promise<void> {
    // A day that is added again during its write is visited again by this loop.
    for (const day of this.#unsaved) {
      this.#unsaved.delete(day);
      try {
        await workspace.fs.createDirectory(this.#uriOf());
        const text = JSON.stringify(this.#mine(day));
        await workspace.fs.writeFile(this.#uriOf(this.#fileOf(day)), Buffer.from(text));
      } catch {
        // The next request of the day writes all of its rows again.
      }
    }
  }

  async #rowsOfOthers(day: string): Promise<UsageRow[]> {
    const files = await this.#fileNames();
    const others = files.filter((name) => name.startsWith(day) && name !== this.#fileOf(day));
    return (await Promise.all(others.map((name) => this.#read(name)))).flat();
  }

  /**
   * Returns the valid rows of a file. Rows of another version and half-written files are skipped.
   */
  async #read(file: string): Promise<UsageRow[]> {
    const bytes = await workspace.fs.readFile(this.#uriOf(file)).then(undefined, () => []);
    const json = parseJson(Buffer.from(bytes).toString());
    return (Array.isArray(json) ? json : []).filter((row) => v.is(rowShape, row));
  }

  /** Returns the names of all counter files. The folder doesn't exist before the first request. */
  async #fileNames(): Promise<string[]> {
    const found = await workspace.fs.readDirectory(this.#uriOf()).then(undefined, () => []);
    return found.map(([name]) => name).filter((name) => FILE_NAME.test(name));
  }

  #fileOf(day: string): string {
    return `${day}-${this.#window}.json`;
  }

  /** The URI of a counter file, or of the folder if no file is given. */
  #uriOf(file = ''): Uri {
    return Uri.joinPath(this.#storage, 'usage', file);
  }
}

/**
 * The local date, as YYYY-MM-DD.
 * @param ms wall-clock milliseconds
 */
export function dayOf(ms: number, daysBefore = 0): string {
  const date = new Date(ms);
  date.setDate(date.getDate() - daysBefore);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

export function totalOf(rows: readonly UsageTotal[]): UsageTotal {
  const sum = (name: 'requests' | 'inputTokens' | 'outputTokens') =>
    rows.reduce((all, row) => all + row[name], 0);
  return {
    ...{ requests: sum('requests'), isEstimate: rows.some((row) => row.isEstimate) },
    ...{ inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') },
  };
}

/** Merges the rows of each key, model, and caller into one. */
function summed(rows: readonly UsageRow[]): UsageRow[] {
  const alike = Map.groupBy(rows, ({ fingerprint, model, caller }) =>
    JSON.stringify([fingerprint, model, caller]),
  );
  return [...alike.values()].map((group) => Object.assign({}, ...group, totalOf(group)));
}

function isOf(fingerprint: string) {
  return (row: UsageRow) => row.fingerprint === fingerprint;
}
