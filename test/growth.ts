import { processorTime } from './processorTime.ts';

/** Whether work grows with its text, told apart from work that grows with the square of it. */

/** A text of this many characters, or a few more. */
export type TextOf = (length: number) => string;

const LONG = 65_536;
/** On 16 times the text linear work takes 16 times as long, quadratic work 256 times. */
const SPAN = 16;
const MOST_GROWTH = 64;
/** For 64 KB. Nobody notices less, however it grows; and there is little to measure. */
const UNNOTICED_MS = 4;
/** The processor counts in steps of some milliseconds. */
const MEASURABLE_MS = 50;
/** Of the short text, in each trial: one that was held up would make the long one look fast. */
const SHORT_RUNS = 8;
/** Nothing is fast the first time, and the processor's time has that of the garbage collector in it. */
const TRIALS = 3;

/**
 * True if a text takes no more than its share of time, compared with a sixteenth of it. How fast the
 * machine is does not matter, and what else it does neither: the clock on the wall is believed only
 * where it says yes.
 * @param length of the text, in characters
 */
export async function isLinear(
  work: (text: string) => unknown,
  textOf: TextOf,
  length = LONG,
): Promise<boolean> {
  const [short, long] = [textOf(length / SPAN), textOf(length)];
  const isGood = (longMs: number, shortMs: number) =>
    longMs <= Math.max((UNNOTICED_MS * length) / LONG, MOST_GROWTH * shortMs);
  let shortMs = Number.POSITIVE_INFINITY;
  for (let trial = 0; trial < TRIALS; trial += 1) {
    for (let run = 0; run < SHORT_RUNS; run += 1) {
      shortMs = Math.min(shortMs, await wallTime(work, short));
    }
    if (isGood(await wallTime(work, long), shortMs)) return true;
  }
  for (let trial = 0; trial < TRIALS; trial += 1) {
    if (isGood(await workTime(work, long), await workTime(work, short))) return true;
  }
  return false;
}

/** Milliseconds that one run takes, with whatever else the machine does meanwhile. */
async function wallTime(work: (text: string) => unknown, text: string): Promise<number> {
  const start = performance.now();
  await work(text);
  return performance.now() - start;
}

/** Milliseconds of the processor for one run, on average of as many as can be measured. */
async function workTime(work: (text: string) => unknown, text: string): Promise<number> {
  const worked = processorTime();
  let runs = 0;
  do {
    await work(text);
    runs += 1;
  } while (worked() < MEASURABLE_MS);
  return worked() / runs;
}
