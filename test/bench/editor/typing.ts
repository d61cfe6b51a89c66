/**
 * Measures how long typed characters take to appear while a response streams into another part of
 * the document.
 */
import type { Question } from '../question.ts';
import type { Driver } from './stage/driver.ts';
import { compared, quantile } from './stage/figures.ts';
import { timeNextAnswer } from './stage/pace.ts';
import { onStage, type Stage } from './stage/stage.ts';
import { watchTyping } from './stage/typingWatch.ts';

const rounds = 5;
/**
 * Number of key presses in a round, milliseconds between key presses, and number of output tokens
 * in a round. The tokens arrive at 100 per second.
 */
const [keys, everyMs, tokens] = [30, 60, 400];

type Beside = 'product' | 'peer' | 'nothing';

const commands: Readonly<Record<Beside, string>> = {
  product: 'hostedModel.generateFromSelection',
  peer: 'bench.onFetch',
  nothing: 'bench.wait',
};

const question: Question = {
  title:
    'Typing in an editor while 100 tokens per second stream into it: key to character on screen',
  goal: 'none',
  measure: () =>
    onStage(async (stage) => {
      const driver = await stage.start();
      await driver.do('activate', []);
      await stage.storeKey();
      const taken: Record<Beside, number[]> = { product: [], peer: [], nothing: [] };
      for (let round = 0; round < rounds; round += 1) {
        for (const beside of ['product', 'nothing', 'peer'] as const) {
          taken[beside].push(...(await type(stage, driver, beside)));
        }
      }
      const rows = (share: number, name: string) => {
        const of = (beside: Beside) => quantile(taken[beside], share);
        return compared(
          'ms',
          [`during a stream of Hosted Model, ${name}`, of('product')],
          [`without a stream, ${name}`, of('nothing')],
          [`during one awaited edit per event, ${name}`, of('peer')],
        );
      };
      return { rows: [...rows(0.5, 'median'), ...rows(0.95, '95th percentile')] };
    }),
};
export default question;

/**
 * Types on the first line while the command for `beside` runs.
 * @returns how long each character took to appear after its key was pressed, in milliseconds
 */
async function type(stage: Stage, driver: Driver, beside: Beside): Promise<readonly number[]> {
  const { emulator, workbench, addresses } = stage;
  emulator.settings.answer = () =>
    Array.from({ length: tokens }, (_, index) => `word${index % 10 === 9 ? '\n' : ' '}`);
  const argument = beside === 'nothing' ? keys * everyMs : addresses;
  if (beside !== 'nothing') timeNextAnswer(emulator, 'chat_stream', { everyMs: 10 });
  const running = driver.do('run', {
    command: commands[beside],
    argument,
    text: '>\n\nWrite a reply.',
    lines: [2],
    staysOpen: true,
  });
  await workbench.editor.waitForPosition(/^Ln 3, .*selected/);
  if (beside !== 'nothing') await workbench.editor.waitForText(/word/);
  await workbench.editor.placeCursor(1, 2);
  const typed = await watchTyping(workbench, '>');
  await workbench.page.keyboard.type('x'.repeat(keys), { delay: everyMs });
  const [milliseconds] = await Promise.all([typed(keys), running]);
  await driver.do('close', {});
  return milliseconds;
}
