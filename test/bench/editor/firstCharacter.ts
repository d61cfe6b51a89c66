/** Measures the time from the command to the first character in the document, in a real VS Code. */
import { fetchToken } from '../callers/caller.ts';
import { ratioTo } from '../contest.ts';
import type { Question } from '../question.ts';
import type { Driver } from './stage/driver.ts';
import { compared, median } from './stage/figures.ts';
import { timeNextAnswer } from './stage/pace.ts';
import { onStage, type Stage } from './stage/stage.ts';

/**
 * Number of windows. In each window, one contestant runs the first command. With only 12 windows,
 * the medians differed by up to 50% between runs of this benchmark.
 */
const windows = 36;
/** Number of additional rounds in a window, if Hosted Model ran the window's first command. */
const rounds = 4;

/**
 * Milliseconds until the emulated service sends the first output token. This is a typical delay for
 * a fast model. Work that a contestant finishes within this time doesn't delay the first character.
 */
const serviceMs = 200;

const peer = 'one fetch and one edit';
const keyed = 'one fetch and one edit with a key and token';
const firstCommand = 'first command in a window';

const commands = {
  product: { command: 'hostedModel.generateFromSelection', operation: 'chat_stream', textPart: 1 },
  peer: { command: 'bench.fetchAndEdit', operation: 'chat', textPart: 0 },
  keyed: { command: 'bench.keyTokenFetchAndEdit', operation: 'chat', textPart: 0 },
} as const;
type Contestant = keyof typeof commands;
const contestants = Object.keys(commands) as Contestant[];

const question: Question = {
  title: 'From command to first character in the document, excluding the service’s response time',
  goal: `≤ 2.6 × ${peer}, ≤ 1.5 × for the ${firstCommand}`,
  measure: () =>
    onStage(async (stage) => {
      const firsts = new Map(contestants.map((who) => [who, [] as number[]]));
      const later = new Map(contestants.map((who) => [who, [] as number[]]));
      const open = async () => {
        const driver = await stage.start();
        await driver.do('activate', []);
        return driver;
      };
      await open();
      for (let window = 0; window < windows; window += 1) {
        // Each window measures the first command of only one contestant, because the first fetch in
        // a window also reads the certificates for all later fetches. Hosted Model has no key
        // unless it comes first. Without a key, it doesn't load the code that sends requests, so it
        // can't make the other contestants faster.
        const [first = 'product', ...others] = turnOrder(window);
        if (first === 'product') await stage.storeKey();
        const driver = await open();
        await stage.workbench.statusItem('hostedModel.token').waitFor({ text: /Hosted Model/ });
        firsts.get(first)?.push(await toFirstCharacter(stage, driver, first));
        if (first !== 'product') continue;
        for (const who of others) await toFirstCharacter(stage, driver, who);
        for (let round = 1; round <= rounds; round += 1) {
          for (const who of turnOrder(round)) {
            later.get(who)?.push(await toFirstCharacter(stage, driver, who));
          }
        }
        await stage.signOut();
      }
      const rows = [
        ...compared(
          'ms',
          ['Hosted Model', middle(later, 'product')],
          [peer, middle(later, 'peer')],
        ),
        ...compared(
          'ms',
          [`Hosted Model, ${firstCommand}`, middle(firsts, 'product')],
          [`${peer}, ${firstCommand}`, middle(firsts, 'peer')],
          [`${keyed}, ${firstCommand}`, middle(firsts, 'keyed')],
        ),
      ];
      return {
        rows,
        isMet: ratioTo(rows, peer) <= 2.6 && ratioTo(rows, `${peer}, ${firstCommand}`) <= 1.5,
      };
    }),
};
export default question;

function middle(times: ReadonlyMap<Contestant, readonly number[]>, who: Contestant): number {
  return median(times.get(who) ?? []);
}

/** Returns all contestants, starting with a different one in each round. */
function turnOrder(round: number): Contestant[] {
  const first = round % contestants.length;
  return [...contestants.slice(first), ...contestants.slice(0, first)];
}

async function toFirstCharacter(stage: Stage, driver: Driver, who: Contestant): Promise<number> {
  const { command, operation, textPart } = commands[who];
  const { url } = stage.emulator;
  const argument = { url, token: await fetchToken(url) };
  const service = timeNextAnswer(stage.emulator, operation, { firstMs: serviceMs });
  const { startedAt, changedAt, text } = await driver.do('run', {
    command,
    argument,
    text: 'Dear Sir or Madam,\nWrite a reply.\n',
    lines: [1],
  });
  const [firstAt] = changedAt;
  if (firstAt === undefined || !text.includes('Hello from the emulated model!')) {
    throw new Error(`${command} left unexpected text: ${text}`);
  }
  return firstAt - startedAt - service.delayUntil(textPart);
}
