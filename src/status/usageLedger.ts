import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { Uri, workspace } from 'vscode';
import { count, parseJson, shape } from '../service/schemaHelpers.ts';

const rowShape = shape({
  /**
   * Identifies the key without revealing it. If there is no key, identifies the service. See
   * `SourceApprovals.fingerprintOf`.
   */
  fingerprint: v.string(),
  model: v.string(),
  caller: v.picklist(['selection', 'chat', 'agent', 'other extension']),
  requests: count,
  inputTokens: count,
  outputTokens: count,
  /** True if the counts include estimates of tokens that the service didn't report. */
  isEstimate: v.boolean(),
});

/** The totals for all requests with the same key, model, and caller. */
export type UsageRow = Readonly<v.InferOutput<typeof rowShape>>;
export type UsedRequest = Omit<UsageRow, 'fingerprint' | 'requests'>;
export type UsedTokens = Omit<UsedRequest, 'model' | 'caller'>;
export type UsageTotal = UsedTokens & Pick<UsageRow, 'requests'>;

const KEPT_DAYS = 31;
const FILE_NAME = /^\d{4}-\d{2}-\d{2}-.*\.json$/;

/**
 * Counts requests and tokens. Each window writes one file per day, so windows don't overwrite each
 * other's counts. Today's usage is the sum of today's files. Read and write errors are ignored,
 * because they must not block requests.
 */
export class UsageLedger {
  readonly #storage: Uri;
  readonly #now: () => number;
  readonly #window = randomUUID();
  /** This window's rows, keyed by day. */
  readonly #counted = new Map<string, readonly UsageRow[]>();
  readonly #unsaved = new Set<string>();
  #saving: Promise<void> | undefined;

  /**
   * @param storage the extension's storage folder; the files are in its `usage` subfolder
   * @param now returns milliseconds since 1970
   */
  constructor(storage: Uri, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  /**
   * Counts a request. On the first request in each VS Code window, also deletes files older than
   * 31 days.
   * @returns a promise that resolves when the file has been written or the write has failed
   */
  record(fingerprint: string, request: UsedRequest): Promise<void> {
    const day = dayOf(this.#now());
    // Copy only these fields so that no other part of a request ends up in a file.
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

  /** Returns a key's usage in this window since it opened. */
  session(fingerprint: string): UsageRow[] {
    return summed([...this.#counted.values()].flat().filter(isOf(fingerprint)));
  }

  /**
   * Reads a key's usage rows for today from the other windows' files.
   * @returns a function that merges those rows with the rows that this window has when the function
   * is called
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
   * Deletes files older than 31 days.
   * @returns a promise that resolves when every deletion has succeeded or failed
   */
  async deleteOldFiles(): Promise<void> {
    const oldest = dayOf(this.#now(), KEPT_DAYS);
    const old = (await this.#fileNames()).filter((name) => name < oldest);
    await Promise.allSettled(old.map((name) => workspace.fs.delete(this.#uriOf(name))));
  }

  /**
   * Writes the files of all days with unsaved counts, one at a time. If a request is counted during
   * a write, the next write saves it.
   */
  async #save(): Promise<void> {
    // If a day is added again while its file is being written, this loop visits it again.
    for (const day of this.#unsaved) {
      this.#unsaved.delete(day);
      try {
        await workspace.fs.createDirectory(this.#uriOf());
        const text = JSON.stringify(this.#mine(day));
        await workspace.fs.writeFile(this.#uriOf(this.#fileOf(day)), Buffer.from(text));
      } catch {
        // Ignore the error, because the next request that day rewrites all of the day's rows.
      }
    }
  }

  async #rowsOfOthers(day: string): Promise<UsageRow[]> {
    const files = await this.#fileNames();
    const others = files.filter((name) => name.startsWith(day) && name !== this.#fileOf(day));
    return (await Promise.all(others.map((name) => this.#read(name)))).flat();
  }

  /** Returns the valid rows of a file. Skips half-written files and rows in another format. */
  async #read(file: string): Promise<UsageRow[]> {
    const bytes = await workspace.fs.readFile(this.#uriOf(file)).then(undefined, () => []);
    const json = parseJson(Buffer.from(bytes).toString());
    return (Array.isArray(json) ? json : []).filter((row) => v.is(rowShape, row));
  }

  /** Returns the names of all usage files. Empty if the folder doesn't exist or can't be read. */
  async #fileNames(): Promise<string[]> {
    const found = await workspace.fs.readDirectory(this.#uriOf()).then(undefined, () => []);
    return found.map(([name]) => name).filter((name) => FILE_NAME.test(name));
  }

  #fileOf(day: string): string {
    return `${day}-${this.#window}.json`;
  }

  /** Returns the URI of a file, or of the folder if no file is given. */
  #uriOf(file = ''): Uri {
    return Uri.joinPath(this.#storage, 'usage', file);
  }
}

/**
 * Returns the local date as YYYY-MM-DD.
 * @param ms milliseconds since 1970
 * @param daysBefore number of days to go back from `ms`
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

/** Merges rows with the same key, model, and caller. */
function summed(rows: readonly UsageRow[]): UsageRow[] {
  const alike = Map.groupBy(rows, ({ fingerprint, model, caller }) =>
    JSON.stringify([fingerprint, model, caller]),
  );
  return [...alike.values()].map((group) => Object.assign({}, ...group, totalOf(group)));
}

function isOf(fingerprint: string) {
  return (row: UsageRow) => row.fingerprint === fingerprint;
}
