import { Session } from 'node:inspector';
import type { CodePaths } from './workCounter.ts';

/**
 * The process that a `WorkCounter` starts. Counts the blocks of code that run, including each
 * iteration of a loop, and the characters and elements that built-in methods process. Copies made
 * by spreading objects or sets aren't counted.
 */

type Method = (this: unknown, ...given: unknown[]) => unknown;
/** Returns the cost of a method call on a string or list. */
type Cost = (of: string, result: unknown, given: readonly unknown[]) => number;

let handled = 0;
/**
 * True while `split` runs. It calls other methods for each character, and these calls aren't
 * counted.
 */
let isWithin = false;

const isFlat = new Function('text', 'return %StringIsFlat(text)') as (text: string) => boolean;
/**
 * Returns the cost of copying a concatenated string. V8 copies such a string when it is first read.
 */
const copied = (value: unknown): number =>
  typeof value === 'string' && !isFlat(value) ? value.length : 0;

const lengthOf = (value: unknown): number => (value as { length?: number } | null)?.length ?? 0;
const [exec, indexOf, lastIndexOf] = [
  RegExp.prototype.exec,
  String.prototype.indexOf,
  String.prototype.lastIndexOf,
];

const all: Cost = (of, result) => of.length + lengthOf(result);
const one: Cost = () => 1;
const given: Cost = (_, __, [text]) => lengthOf(text);
const made: Cost = (_, result) => lengthOf(result);
/**
 * Returns a cost function that uses `cost` for a call with a regular expression, and `all` for any
 * other call. The work of the expression itself is counted in `exec`.
 */
const byExpression =
  (cost: Cost): Cost =>
  (of, result, values) =>
    (values[0] instanceof RegExp ? cost : all)(of, result, values);
const searched: Cost = (of, _, [sought, from]) => {
  const start = Number(from ?? 0);
  const at = indexOf.call(of, String(sought), start);
  return (at < 0 ? of.length : at + lengthOf(sought)) - start;
};
const trimmed: Cost = (of, result) => 1 + of.length - lengthOf(result);

/** String methods that don't process the whole string, each with its cost. */
const OF_TEXTS: Readonly<Record<string, Cost>> = {
  ...{ at: one, charAt: one, charCodeAt: one, codePointAt: one },
  ...{ slice: one, substring: one, toString: one, valueOf: one },
  ...{ startsWith: given, endsWith: given, includes: searched, indexOf: searched },
  lastIndexOf: (of, _, [sought, from]) =>
    of.length - lastIndexOf.call(of, String(sought), from as number | undefined),
  ...{ trim: trimmed, trimEnd: trimmed, trimStart: trimmed },
  ...{ match: byExpression(one), matchAll: byExpression(one), search: byExpression(one) },
  ...{ replace: byExpression(made), replaceAll: byExpression(made) },
};
const OF_LISTS: Readonly<Record<string, Cost>> = {
  ...{ at: one, pop: one, push: one },
};

function wrap(of: object, name: string | symbol, cost: Cost): void {
  const method = Reflect.get(of, name) as Method;
  const counted: Method = function (...values) {
    if (isWithin) return method.apply(this, values);
    handled += copied(this);
    for (let at = 0; at < values.length; at += 1) handled += copied(values[at]);
    isWithin = name === 'split';
    try {
      const result = method.apply(this, values);
      handled += cost(this as string, result, values);
      return result;
    } finally {
      isWithin = false;
    }
  };
  Object.defineProperty(of, name, { value: counted, writable: true, configurable: true });
}

function wrapAll(of: object, cheap: Readonly<Record<string, Cost>>): void {
  for (const name of Reflect.ownKeys(of)) {
    const isMethod = name !== 'constructor' && typeof Reflect.get(of, name) === 'function';
    if (isMethod) wrap(of, name, (typeof name === 'string' ? cheap[name] : undefined) ?? all);
  }
}

/**
 * Measures the work done by regular expressions by wrapping `exec`, which methods such as
 * `replace`, `match`, and `test` also call.
 */
function wrapExpressions(): void {
  RegExp.prototype.exec = function (text) {
    if (isWithin) return exec.call(this, text);
    handled += copied(text);
    const start = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, text);
    const looksAhead = this.source.includes('(?=') || this.source.includes('(?!');
    handled += (found && !looksAhead ? found.index + found[0].length : text.length) - start;
    return found;
  };
}

const session = new Session();
session.connect();
function post<Result>(method: string, parameters?: object): Result {
  let answer: Result | undefined;
  session.post(method, parameters, (error, result) => {
    if (error) throw error;
    answer = result as Result;
  });
  return answer as Result;
}

/** Returns the number of blocks of code that have run since this function was last called. */
function steps(): number {
  const { result } = post<{ result: readonly Script[] }>('Profiler.takePreciseCoverage');
  let sum = 0;
  for (const { url, functions } of result) {
    if (!url.startsWith('file:') || url === import.meta.url) continue;
    for (const { ranges } of functions) for (const { count } of ranges) sum += count;
  }
  return sum;
}

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

post('Profiler.enable');
// Coverage must start before the counted code is compiled.
post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
const { codePaths } = (await import(process.argv[2] as string)) as {
  readonly codePaths: CodePaths;
};
wrapAll(String.prototype, OF_TEXTS);
wrapAll(Array.prototype, OF_LISTS);
wrap(JSON, 'parse', given);
wrap(JSON, 'stringify', made);
wrap(TextDecoder.prototype, 'decode', made);
wrap(Buffer, 'from', made);
wrap(Buffer, 'concat', made);
wrap(Buffer, 'byteLength', given);
wrapExpressions();
steps();

process.on('message', async ({ path, text }: { path: string; text: string }) => {
  handled = 0;
  await codePaths[path]?.work(text);
  process.send?.(handled + steps());
});
