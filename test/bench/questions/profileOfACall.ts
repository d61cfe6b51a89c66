import { Child } from '../child.ts';
import type { Order } from '../contestant.ts';
import type { Question } from '../question.ts';

const CALLS = 5_000;
/** Origins whose code takes less than this many microseconds per call aren't shown. */
const LEAST_US = 3;

const question: Question = {
  title: 'CPU time of a call by origin, 100 at the same time',
  goal: 'none',
  measure: async () => {
    const emulator = new Child('test/bench/emulatorProcess.ts');
    await emulator.ask('answer', { pieces: 220, length: 5 });
    const url = await emulator.ask<string>('replay');
    const child = new Child('test/bench/contestant.ts', ['sources', url]);
    try {
      const order: Order = { kind: 'call', calls: CALLS, inFlight: 100 };
      await child.ask('run', order);
      const spent = await child.ask<Record<string, number>>('profile', order);
      const rows = Object.entries(spent)
        .filter(([origin]) => origin !== '(idle)')
        .sort(([, one], [, other]) => other - one)
        .map(([name, ms]) => ({ name, value: (ms * 1_000) / CALLS, unit: 'µs' }));
      return { rows: rows.filter(({ value }) => value >= LEAST_US) };
    } finally {
      emulator.end();
      child.end();
    }
  },
};
export default question;
