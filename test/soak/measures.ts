import assert from 'node:assert/strict';
import { printTable } from './table.ts';

/** A figure of a run and what it must be; without a bar it only tells. */
export interface Measure {
  readonly what: string;
  readonly found: number;
  readonly bar?: readonly [relation: '=' | '≤', number: number];
}

/** Prints all figures beside their bars, and only then holds them against these. */
export function prove(title: string, measures: readonly Measure[]): void {
  const rows = measures.map(({ what, found, bar }) => [what, plain(found), bar?.join(' ') ?? '']);
  printTable(title, ['', 'found', 'bar'], rows);
  const missed = measures.filter((measure) => !isMet(measure)).map(({ what }) => what);
  assert.deepEqual(missed, []);
}

function isMet({ found, bar }: Measure): boolean {
  if (!bar) return true;
  const [relation, number] = bar;
  return relation === '=' ? found === number : found <= number;
}

function plain(number: number): string {
  return Number.isInteger(number) ? `${number}` : number.toFixed(2);
}
