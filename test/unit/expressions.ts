import { resolve } from 'node:path';
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { filesIn } from '../filesIn.ts';
import type { TextOf } from '../growth.ts';

/** Every regular expression of the source, and the texts that are hardest on one. */

export interface PlacedExpression {
  /** File and line. */
  readonly place: string;
  readonly expression: RegExp;
}

/** All that stand in the source, and all that its modules build while they load. */
export async function expressionsOfSource(): Promise<PlacedExpression[]> {
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
        const text = source.text.slice(node.pos, node.end).trim();
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
 * What a module builds while it loads.
 * @param count how often it says that it builds one
 * @throws {Error} if it builds one later, out of what nobody could look at before
 */
async function builtBy(path: string, count: number): Promise<PlacedExpression[]> {
  // What it imports is not built once more.
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

const PARSER = new RegExpParser();

/** One or more for each kind of character that an expression can ask for. */
const ALPHABET = [
  ...['a', 'A', '0', ' ', '\t', '\n', '\r', 'é', '漢', 'ن', '😀', '\u0301', '\u200d', '\ufe0f'],
  ...Array.from({ length: 0x7f }, (_, code) => String.fromCharCode(code)),
  ...['\u00a0', '\u0085', '\u2028', '\ufeff', '\ud83d'],
];

/**
 * The worst texts for an expression, made of its own parts: each row of its elements again and
 * again, behind nothing or behind what stands before that row, and before what nearly matches.
 */
export function worstTexts(expression: RegExp): TextOf[] {
  const sampler = new Sampler(expression);
  const pattern = PARSER.parsePattern(expression.source, undefined, undefined, {
    unicode: expression.unicode,
    unicodeSets: expression.unicodeSets,
  });
  const repeated = new Map<string, readonly [before: string, row: string]>();
  const visit = (alternatives: readonly AST.Alternative[], before: string): void => {
    for (const { elements } of alternatives) {
      const samples = elements.map((element) => sampler.sample(element));
      for (const [from, element] of elements.entries()) {
        const start = before + samples.slice(0, from).join('');
        for (let to = from + 1; to <= samples.length; to += 1) {
          const row = samples.slice(from, to).join('');
          for (const head of ['', start]) repeated.set(JSON.stringify([head, row]), [head, row]);
        }
        const inner = element.type === 'Quantifier' ? element.element : element;
        if ('alternatives' in inner) visit(inner.alternatives, start);
      }
    }
  };
  visit(pattern.alternatives, '');
  const ends = ['', '\n\0', sampler.opposites];
  return [...repeated.values()]
    .filter(([, row]) => row !== '')
    .flatMap(([head, row]) =>
      ends.map((end) => (length) => head + row.repeat(Math.ceil(length / row.length)) + end),
    );
}

/** Short texts that the parts of an expression match. */
class Sampler {
  readonly #flags: string;
  readonly #alphabet: readonly string[];
  readonly #opposites = new Set<string>();

  constructor({ flags }: RegExp) {
    this.#flags = flags.replace(/[gy]/g, '');
    // Without these an expression takes such a character for two.
    const isWhole = /[uv]/.test(flags);
    this.#alphabet = ALPHABET.filter((character) => isWhole || character.length === 1);
  }

  /** One character for each class that was sampled, which it does not match. */
  get opposites(): string {
    return [...this.#opposites].join('');
  }

  sample(element: AST.Element): string {
    switch (element.type) {
      case 'Character':
        return String.fromCodePoint(element.value);
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return this.#ofClass(element.raw);
      case 'Quantifier':
        return this.sample(element.element).repeat(Math.max(1, element.min));
      case 'Group':
      case 'CapturingGroup':
      case 'Assertion': {
        // What only has to stand there, and even what must not, makes a text that nearly matches.
        const [first] = 'alternatives' in element ? element.alternatives : [];
        return first ? first.elements.map((inner) => this.sample(inner)).join('') : '';
      }
      case 'Backreference':
        return '';
    }
  }

  #ofClass(raw: string): string {
    const one = new RegExp(`^(?:${raw})$`, this.#flags);
    this.#opposites.add(this.#alphabet.find((character) => !one.test(character)) ?? '');
    return this.#alphabet.find((character) => one.test(character)) ?? '';
  }
}
