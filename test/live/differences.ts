import { plainWord } from '../../src/service/errors.ts';
import { recordings } from '../emulator/recordings.ts';
import { isRecord } from '../emulator/service.ts';
import type { Exchange } from './witness.ts';

/** A step's outcome, and each request that the step sent, with its response. */
export interface StepResult {
  readonly outcome: string;
  readonly exchanges: readonly Exchange[];
}

export interface Differences {
  /** Differences from the expected outcome or responses. They could affect the client. */
  readonly otherwise: readonly string[];
  /**
   * Headers, fields, and events that only the actual responses contain. They don't affect the
   * client.
   */
  readonly beyond: readonly string[];
}

/**
 * Names of the fields whose values are compared instead of their types, because the client uses the
 * values.
 */
const WORDS: ReadonlySet<string> = new Set([
  ...['code', 'errorCode', 'status_code', 'token_type', 'finish_reason', 'stop_reason', 'role'],
]);

/** Transport headers. They aren't compared, because the service doesn't control them. */
const OF_TRANSPORT: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'],
]);

/**
 * Compares a step's actual outcome and responses with the expected ones. In responses, compares the
 * status, the media type, and the names of headers, fields, and events. Also compares the type of
 * each field, or its value if its name is in `WORDS`. The differences contain no other text from
 * the service.
 */
export function differencesOf(expected: StepResult, found: StepResult): Differences {
  const otherwise: string[] = [];
  const beyond: string[] = [];
  if (found.outcome !== expected.outcome) {
    otherwise.push(`result: ${found.outcome}, not ${expected.outcome}`);
  }
  const [wanted, got] = [expected, found].map(({ exchanges }) => Map.groupBy(exchanges, callOf));
  for (const call of new Set([...(wanted?.keys() ?? []), ...(got?.keys() ?? [])])) {
    const [ofEmulator, ofService] = [wanted?.get(call) ?? [], got?.get(call) ?? []];
    if (ofEmulator.length !== ofService.length) {
      otherwise.push(`${call}: sent ${ofService.length} times, not ${ofEmulator.length}`);
    }
    ofEmulator.forEach((one, index) => {
      const other = ofService[index];
      if (!other) return;
      const compared = compare(one, other);
      const place = `${call} (${foundationOf(one)})`;
      otherwise.push(...compared.otherwise.map((text) => `${place}: ${text}`));
      beyond.push(...compared.beyond.map((text) => `${place}: ${text}`));
    });
  }
  return { otherwise, beyond };
}

function compare(expected: Exchange, found: Exchange): Differences {
  const otherwise: string[] = [];
  const beyond: string[] = [];
  if (found.status !== expected.status) {
    otherwise.push(`status ${found.status}, not ${expected.status}`);
  }
  for (const [aspect, read] of Object.entries(ASPECTS)) {
    const [wanted, got] = [read(expected), read(found)];
    for (const [name, is] of wanted) {
      const now = got.get(name);
      if (now === undefined) otherwise.push(`${aspect} ${name} is missing`);
      else if (!now.split('|').some((each) => is.split('|').includes(each))) {
        otherwise.push(`${aspect} ${name} is ${now}, not ${is}`);
      }
    }
    const more = [...got.keys()].filter((name) => !wanted.has(name));
    if (more.length > 0) beyond.push(`further ${aspect}s: ${more.join(', ')}`);
  }
  return { otherwise, beyond };
}

/**
 * The parts of a response to compare. Each function returns the values to compare, keyed by name.
 * If a field has several types, `|` separates them.
 */
const ASPECTS: Readonly<Record<string, (exchange: Exchange) => ReadonlyMap<string, string>>> = {
  header: ({ headers }) => {
    const kept = Object.entries(headers).filter(([name]) => !OF_TRANSPORT.has(name));
    return new Map(kept.map(([name, value]) => [wordOf(name), headerValue(name, value)]));
  },
  field: ({ documents }) => {
    const fields = new Map<string, Set<string>>();
    for (const document of documents) collect(document, '', fields);
    return new Map([...fields].map(([path, kinds]) => [path, [...kinds].sort().join('|')]));
  },
  event: ({ events }) => new Map(events.map((name) => [wordOf(name), 'an event'])),
};

/**
 * Returns the value to compare for a header. For `content-type`, returns the media type, with a
 * note if parameters follow. For all other headers, returns a constant so that only their presence
 * is compared.
 */
function headerValue(name: string, value: string): string {
  if (name !== 'content-type') return 'there';
  const [type = '', ...others] = value.split(';');
  return `${type.split('/').map(wordOf).join('/')}${others.length > 0 ? ', with more' : ''}`;
}

/**
 * Collects the types of each field, keyed by the field's path. For a field in `WORDS`, collects the
 * values instead. All elements of a list share one path.
 */
function collect(value: unknown, path: string, fields: Map<string, Set<string>>): void {
  if (Array.isArray(value)) {
    for (const element of value) collect(element, `${path}[]`, fields);
  } else if (isRecord(value)) {
    for (const [name, inner] of Object.entries(value)) {
      collect(inner, path === '' ? wordOf(name) : `${path}.${wordOf(name)}`, fields);
    }
  } else {
    const kinds = fields.get(path) ?? new Set();
    fields.set(path, kinds.add(kindOf(path, value)));
  }
}

function kindOf(path: string, value: unknown): string {
  if (value === null) return 'null';
  const isWord = WORDS.has(path.split('.').at(-1) ?? '');
  return isWord ? wordOf(String(value)) : typeof value;
}

/**
 * Returns the number and `evidence` of the recording that the emulator's response is based on.
 * Returns a note if there is no such recording.
 */
function foundationOf({ path, status, documents }: Exchange): string {
  const codes = codesIn(documents);
  const found = recordings.find(({ request, response }) => {
    const recorded = response.sse?.map(({ data }) => data) ?? [response.json];
    return (
      request.path === path &&
      response.status === status &&
      codesIn(recorded).join() === codes.join()
    );
  });
  return found
    ? `recording ${found.n}, ${found.evidence}`
    : 'no recording, only an assumption of the emulator';
}

function codesIn(documents: readonly unknown[]): string[] {
  const fields = ASPECTS['field']?.({ documents } as Exchange) ?? new Map<string, string>();
  return ['errors[].code', 'errorCode'].flatMap((name) => fields.get(name) ?? []);
}

function callOf({ method, path }: Exchange): string {
  return `${method} ${path}`;
}

/** Returns a word from a service, or a placeholder if the word isn't safe to show. */
function wordOf(text: string): string {
  return plainWord(text) ?? 'a word that isn’t shown';
}
