import assert from 'node:assert/strict';
import { printTable } from '../table.ts';

/**
 * A measurement and its bar: the value that it must equal or must not exceed. Without a bar, the
 * number is only printed.
 */
export interface Measure {
  readonly name: string;
  readonly found: number;
  readonly bar?: readonly [relation: '=' | '≤', number: number];
}

/**
 * Prints each number with its bar, and fails if a number doesn't meet its bar.
 * @param figure name of the file in test/figures, without `.md`
 */
export function prove(title: string, measures: readonly Measure[], figure?: string): void {
  const rows = measures.map(({ name, found, bar }) => [name, found, bar ? barOf(bar) : '']);
  printTable({ title, heads: ['', 'found', 'bar'], rows, ...(figure && { figure }) });
  const missed = measures.filter((measure) => !isMet(measure)).map(({ name }) => name);
  assert.deepEqual(missed, []);
}

function isMet({ found, bar }: Measure): boolean {
  if (!bar) return true;
  const [relation, number] = bar;
  return relation === '=' ? found === number : found <= number;
}

function barOf([relation, number]: NonNullable<Measure['bar']>): string {
  return `${relation} ${number.toLocaleString('en')}`;
}
