import { resolve } from 'node:path';
import { checkSync, type Diagnostics } from 'recheck';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { filesIn } from '../filesIn.ts';

/**
 * Finds every regular expression in the source, and checks that matching time is at most linear in
 * the text's length.
 */

export interface PlacedExpression {
  /** Path to the file, followed by the line number if the expression is a literal. */
  readonly place: string;
  readonly expression: RegExp;
}

let ofSource: Promise<PlacedExpression[]> | undefined;

/**
 * Returns the regular expression literals in the source, and the regular expressions that its
 * modules build while they load. A module loads only once, so later calls return the same list.
 */
export function expressionsOfSource(): Promise<readonly PlacedExpression[]> {
  ofSource ??= findExpressions();
  return ofSource;
}

async function findExpressions(): Promise<PlacedExpression[]> {
  const api = new API({ cwd: process.cwd() });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [resolve('tsconfig.json')] });
    const program = snapshot.getProject(resolve('tsconfig.json'))?.program;
    const found: PlacedExpression[] = [];
    for (const path of filesIn('src/**/*.ts')) {
      const source = program?.getSourceFile(resolve(path));
      if (!source) throw new Error(`${path} is not part of the project`);
      let built = 0;
      const visit = (node: Node): void => {
        const text = source.text.slice(node.getStart(source), node.end);
        if (node.kind === SyntaxKind.RegularExpressionLiteral) {
          const line = source.text.slice(0, node.end).split('\n').length;
          found.push({ place: `${path}:${line}`, expression: expressionOf(text) });
        }
        if (node.kind === SyntaxKind.Identifier && text === 'RegExp' && isCalled(node)) built += 1;
        node.forEachChild(visit);
      };
      visit(source);
      if (built > 0) found.push(...(await builtBy(path, built)));
    }
    return found;
  } finally {
    api.close();
  }
}

function expressionOf(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

function isCalled({ parent }: Node): boolean {
  return parent.kind === SyntaxKind.NewExpression || parent.kind === SyntaxKind.CallExpression;
}

/**
 * Returns the expressions that a module builds while it loads.
 * @param count number of calls to `RegExp` in the module's source
 * @throws {Error} if the module builds an expression later, when it can't be recorded
 */
async function builtBy(path: string, count: number): Promise<PlacedExpression[]> {
  // Load the module's imports first so that their expressions aren't recorded here.
  await import(resolve(path));
  const { RegExp: Native } = globalThis;
  const found: PlacedExpression[] = [];
  globalThis.RegExp = class extends Native {
    constructor(pattern: string | RegExp, flags?: string) {
      super(pattern, flags);
      found.push({ place: path, expression: new Native(pattern, flags) });
    }
  } as RegExpConstructor;
  try {
    await import(`${resolve(path)}?watched`);
  } finally {
    globalThis.RegExp = Native;
  }
  if (found.length !== count) throw new Error(`${path} builds an expression after it has loaded`);
  return found;
}

// Use recheck's JavaScript implementation, which behaves the same on every platform.
process.env['RECHECK_SYNC_BACKEND'] = 'pure';

/**
 * The limits are counts rather than times, and the random seed is fixed, so the results are the
 * same on every machine.
 */
const COUNTED = {
  ...{ timeout: null, attackTimeout: null, incubationTimeout: null, seedingTimeout: null },
  randomSeed: 0,
} as const;

/**
 * How thoroughly recheck analyzes an expression. By default, it analyzes the expression's
 * automaton. If the expression has lookaround, a backreference, or too many states, recheck instead
 * searches for a string that takes a long time to match. `maxAttackStringSize` is so large that
 * quadratic work exceeds `attackLimit` several times over, even if the string repeats a
 * 30-character part.
 */
const EFFORTS = {
  /**
   * Used by the tests that run on each change. Analyzes the automaton of most expressions, and
   * tests the rest against a smaller set of strings.
   */
  short: {
    ...COUNTED,
    maxNFASize: 3_000,
    ...{ maxInitialGenerationSize: 30, maxGenerationSize: 15, maxIteration: 2 },
    ...{ attackLimit: 100_000, maxAttackStringSize: 6_000 },
  },
  full: { ...COUNTED, attackLimit: 2_000_000, maxAttackStringSize: 20_000 },
} as const;

export type Effort = keyof typeof EFFORTS;

/**
 * Returns the expression's worst-case time complexity, or the error that kept recheck from
 * determining it. Returns undefined if matching takes at most linear time on any text. For a global
 * expression, the work includes all matches. Each attempt to match starts at the end of the
 * previous match. After an attempt without a match, the next attempt starts one character later.
 */
export function slownessOf(expression: RegExp, effort: Effort): string | undefined {
  const { source, flags } = recheckable(expression);
  const once = checkSync(source, flags, EFFORTS[effort]);
  const looksAtFew =
    once.status === 'safe' && once.complexity.type === 'safe' && !once.complexity.isFuzz;
  if (!expression.global || looksAtFew) return slowness(once);
  const repeated = `^(?:(?=(${source}))\\1|[^])*`;
  return slowness(once) ?? slowness(checkSync(repeated, flags, EFFORTS[effort]));
}

function slowness(result: Diagnostics): string | undefined {
  if (result.status === 'safe') return undefined;
  return result.status === 'vulnerable' ? result.complexity.summary : JSON.stringify(result.error);
}

/** Returns the highest repetition count of an expression, such as 64 in `x{0,64}`. */
export function highestCount({ source }: RegExp): number {
  const counts = [...source.matchAll(COUNT)].flatMap(([, least, , most]) => [least, most]);
  return Math.max(0, ...counts.map((count) => Number(count ?? 0)));
}

/**
 * Converts an expression to the syntax that recheck supports, without lowering its time complexity:
 * - With the `v` flag, a character class becomes the ranges that it matches. An emoji property
 *   becomes up to ten characters that an emoji can contain.
 * - A count above three is lowered, because recheck creates a state for each repetition. The count
 *   doesn't affect the time complexity. A separate test limits the counts.
 */
function recheckable({ source, flags }: RegExp): { source: string; flags: string } {
  return {
    source: (flags.includes('v') ? source.replace(CLASS_OF_SETS, rangesOf) : source).replace(
      COUNT,
      lowered,
    ),
    flags: flags.replace('v', 'u').replace('g', ''),
  };
}

/**
 * Matches an emoji property, or a character class with at most two levels of nested classes.
 * Classes in `src` aren't nested any deeper.
 */
const CLASS_OF_SETS =
  /\[(?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.)*\])*\])*\]|\\p\{RGI_Emoji(?:_Tag_Sequence)?\}/g;

function rangesOf(set: string): string {
  if (set.includes('Tag_Sequence'))
    return String.raw`\u{1F3F4}[\u{E0020}-\u{E007E}]{1,10}\u{E007F}`;
  if (set.startsWith('\\')) return String.raw`[\p{Emoji}\p{Emoji_Component}]{1,10}`;
  const expression = new RegExp(set, 'v');
  const ranges: string[] = [];
  let start: number | undefined;
  for (let code = 0; code <= 0x11_0000; code += 1) {
    const isIn = code < 0x11_0000 && expression.test(String.fromCodePoint(code));
    if (isIn) start ??= code;
    else if (start !== undefined) {
      ranges.push(`\\u{${start.toString(16)}}-\\u{${(code - 1).toString(16)}}`);
      start = undefined;
    }
  }
  return `[${ranges.join('')}]`;
}

const COUNT = /(?<!\\u?)\{(\d+)(?:(,)(\d*))?\}/g;
const MOST_STATES = 3;

function lowered(_: string, least: string, comma = '', most = ''): string {
  const from = Math.min(Number(least), MOST_STATES);
  if (most === '') return `{${from}${comma}}`;
  const atLeast = Number(most) > Number(least) ? from + 1 : from;
  return `{${from},${Math.max(Math.min(Number(most), MOST_STATES), atLeast)}}`;
}
