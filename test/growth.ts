/** Whether work grows with its text, told apart from work that grows with the square of it. */

/** A text of this many characters, or a few more. */
export type TextOf = (length: number) => string;

const LONG = 65_536;
/**
 * On 16 times the text linear work takes 16 times as long, quadratic work 256 times. Whatever else
 * the machine does makes a run slower and never faster: the best one counts, and one below is enough.
 */
const SPAN = 16;
const MOST_GROWTH = 64;
const LEAST_RUNS = 3;
/** The short text is cheap, and nothing is fast the first time. */
const SHORT_RUNS = 3;
/** Spent on more runs before the growth is believed. */
const PATIENCE_MS = 500;
/** Nobody notices less, however it grows; and there is little to measure. */
const UNNOTICED_MS = 0.5;

/**
 * True if a text takes no more than its share of time, compared with a sixteenth of it.
 * @param length of the text, in characters
 */
export async function isLinear(
  work: (text: string) => unknown,
  textOf: TextOf,
  length = LONG,
): Promise<boolean> {
  const [short, long] = [textOf(length / SPAN), textOf(length)];
  const start = performance.now();
  let shortMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < LEAST_RUNS || performance.now() - start < PATIENCE_MS; run += 1) {
    for (let again = 0; again < SHORT_RUNS; again += 1) {
      shortMs = Math.min(shortMs, await millisecondsOf(work, short));
    }
    const longMs = await millisecondsOf(work, long);
    if (longMs <= Math.max(UNNOTICED_MS, MOST_GROWTH * shortMs)) return true;
  }
  return false;
}

async function millisecondsOf(work: (text: string) => unknown, text: string): Promise<number> {
  const start = performance.now();
  await work(text);
  return performance.now() - start;
}
