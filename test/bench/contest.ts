import { Child } from './child.ts';
import type { Figures, Order } from './contestant.ts';
import { median } from './editor/stage/figures.ts';
import type { AnswerShape } from './emulatorProcess.ts';
import type { Row } from './question.ts';

/** Runs callers in separate processes, which take turns calling the same emulator. */

export type CallerName = 'product' | 'officialSdk' | 'openai' | 'axios' | 'fetch' | 'rawSocket';

export const callerTitles: Readonly<Record<CallerName, string>> = {
  product: 'Hosted Model',
  officialSdk: 'official SDK',
  openai: 'openai',
  axios: 'axios + axios-retry',
  fetch: 'fetch',
  rawSocket: 'raw socket',
};

export interface Contest extends Order {
  readonly callers: readonly CallerName[];
  readonly answer: AnswerShape;
  /**
   * True to replay recorded responses. Otherwise, the emulator's own work can hide differences
   * between callers.
   */
  readonly isReplayed?: boolean;
  /** Number of measured rounds, which follow `warmUps` unmeasured rounds. */
  readonly rounds: number;
  readonly warmUps: number;
}

/** Runs the contest, and returns the figures for each measured round, by caller. */
export async function runContest(contest: Contest): Promise<Map<CallerName, Figures[]>> {
  const { callers, answer, isReplayed, rounds, warmUps, ...order } = contest;
  const emulator = new Child('test/bench/emulatorProcess.ts');
  const children = new Map<CallerName, Child>();
  try {
    await emulator.ask('answer', answer);
    const url = await emulator.ask<string>(isReplayed ? 'replay' : 'url');
    for (const name of callers) {
      children.set(name, new Child('test/bench/contestant.ts', [name, url]));
    }
    const figures = new Map<CallerName, Figures[]>(callers.map((name) => [name, []]));
    for (let round = -warmUps; round < rounds; round += 1) {
      // Each round starts with a different caller, because the first caller may have an advantage.
      const first = (round + warmUps) % children.size;
      const rotated = [...children].slice(first).concat([...children].slice(0, first));
      for (const [name, child] of rotated) {
        const result = await child.ask<Figures>('run', order);
        if (result.failed > 0 || result.characters !== charactersOf(contest)) {
          throw new Error(`${name}: ${result.failed} failed, ${result.characters} characters`);
        }
        if (round >= 0) figures.get(name)?.push(result);
      }
    }
    return figures;
  } finally {
    for (const child of [emulator, ...children.values()]) child.end();
  }
}

function charactersOf({ calls, answer }: Contest): number {
  return calls * answer.pieces * answer.length;
}

/**
 * Returns a row for each name, with the median of its values. Each row except the product's also
 * has a ratio: the median, over all rounds, of the product's value divided by the row's value.
 */
export function rowsWithRatios<Name extends string>(
  values: ReadonlyMap<Name, readonly number[]>,
  {
    product,
    titles,
    unit,
  }: {
    readonly product: Name;
    readonly titles: Readonly<Record<Name, string>>;
    readonly unit: string;
  },
): Row[] {
  const own = values.get(product) ?? [];
  return [...values].map(([name, all]) => {
    const row = { name: titles[name], value: median(all), unit };
    const ratios = all.map((value, round) => (own[round] ?? Number.NaN) / value);
    return name === product ? row : { ...row, ratio: median(ratios) };
  });
}

/** Returns a row for each caller, with the median of the figure that `value` selects. */
export function callerRows(
  figures: ReadonlyMap<CallerName, readonly Figures[]>,
  value: (figures: Figures) => number,
  unit: string,
): Row[] {
  const values = new Map([...figures].map(([name, all]) => [name, all.map(value)]));
  return rowsWithRatios(values, { product: 'product', titles: callerTitles, unit });
}

/** Returns the ratio in the row with this name, or NaN if there is no such row or ratio. */
export function ratioTo(rows: readonly Row[], name: string): number {
  return rows.find((row) => row.name === name)?.ratio ?? Number.NaN;
}
