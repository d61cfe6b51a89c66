/**
 * Measures edits, delay, and undo steps when 100 output tokens per second stream into a real
 * editor.
 */
import type { Pace } from '../lineProcess.ts';
import type { Question, Row } from '../question.ts';
import type { Driver } from './stage/driver.ts';
import { compared, median } from './stage/figures.ts';
import { timeNextAnswer } from './stage/pace.ts';
import { onStage, type Stage } from './stage/stage.ts';

/**
 * Number of streams per contestant and number of output tokens per stream. On the slow link
 * (`far`), the peer needs a round trip for each edit and each undo step. The streams on this link
 * are therefore shorter and aren't undone.
 */
const here = { rounds: 3, tokens: 300, isNear: true };
const far = { rounds: 3, tokens: 100, isNear: false };
/** The delay between the window and its server in the second part of the measurement. */
const pace: Pace = { roundTripMs: 120 };

const commands = { product: 'hostedModel.generateFromSelection', peer: 'bench.onFetch' };

interface Streamed {
  /** Maximum number of edits in any second. */
  readonly editsPerSecond: number;
  /** Milliseconds from the last output token to the last change to the document. */
  readonly delayMs: number;
  readonly undoSteps?: number | undefined;
}

const figures: readonly { key: keyof Streamed; unit: string; goal: number }[] = [
  { key: 'editsPerSecond', unit: 'edits per second', goal: 31 },
  { key: 'delayMs', unit: 'ms late', goal: 250 },
  { key: 'undoSteps', unit: 'undo steps', goal: 1 },
];

const question: Question = {
  title: 'Streaming 100 tokens per second into a real editor',
  goal: '≤ 31 edits per second, last character ≤ 250 ms late, 1 undo step',
  measure: () =>
    onStage(async (stage) => {
      const { lines, server, start, storeKey } = stage;
      const driver = await start(await lines.ask('open', server.port));
      await driver.do('activate', []);
      await storeKey();
      const near = await streamByTurns(stage, driver, here);
      await lines.ask('pace', pace);
      const remote = await streamByTurns(stage, driver, far);
      const both = [...figuresOf(near, ''), ...figuresOf(remote, `, ${pace.roundTripMs} ms away`)];
      return {
        rows: both.flatMap(({ rows }) => rows),
        isMet: both.every(({ isMet }) => isMet),
      };
    }),
};
export default question;

type Both = Record<'product' | 'peer', Streamed[]>;

async function streamByTurns(stage: Stage, driver: Driver, times: typeof here): Promise<Both> {
  const both: Both = { product: [], peer: [] };
  for (let round = 0; round < times.rounds; round += 1) {
    for (const who of ['product', 'peer'] as const) {
      both[who].push(await stream(stage, driver, who, times));
    }
  }
  return both;
}

function figuresOf(
  { product, peer }: Both,
  where: string,
): { readonly rows: Row[]; readonly isMet: boolean }[] {
  return figures.flatMap(({ key, unit, goal }) => {
    const [ours, theirs] = [product, peer].map((streams) =>
      streams.map((one) => one[key]).filter((value) => value !== undefined),
    );
    if (!ours || !theirs || ours.length === 0) return [];
    const value = median(ours);
    const [name, other] = [`Hosted Model${where}`, `one awaited edit per event${where}`];
    return [{ rows: compared(unit, [name, value], [other, median(theirs)]), isMet: value <= goal }];
  });
}

async function stream(
  { emulator, addresses }: Stage,
  driver: Driver,
  who: 'product' | 'peer',
  { tokens, isNear }: typeof here,
): Promise<Streamed> {
  emulator.settings.answer = () => Array.from({ length: tokens }, (_, index) => pieceAt(index));
  const service = timeNextAnswer(emulator, 'chat_stream', { everyMs: 10 });
  const { changedAt, text, undoSteps } = await driver.do('run', {
    command: commands[who],
    argument: addresses,
    text: 'Write a reply.',
    lines: [0],
    isUndone: isNear,
  });
  const wanted = Array.from({ length: tokens }, (_, index) => pieceAt(index)).join('');
  if (text !== `Write a reply.\n${wanted}`)
    throw new Error(`${commands[who]} left unexpected text: ${text}`);
  const within = (start: number) => changedAt.filter((at) => at >= start && at < start + 1_000);
  return {
    editsPerSecond: Math.max(...changedAt.map((at) => within(at).length)),
    delayMs: (changedAt.at(-1) ?? Number.NaN) - service.sentAt(tokens),
    undoSteps,
  };
}

/**
 * Returns one word of generated text that has ten words per line. Each line break precedes a word,
 * because the product would remove a line break at the end of the text.
 */
function pieceAt(index: number): string {
  if (index === 0) return 'word';
  return index % 10 === 0 ? '\nword' : ' word';
}
