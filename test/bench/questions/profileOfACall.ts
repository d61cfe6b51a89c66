import { Child } from '../child.ts';
import type { Order } from '../contestant.ts';
import type { Question } from '../question.ts';

const CALLS = 5_000;
/** What takes less is not told. */
const LEAST_US = 3;

const question: Question = {
  title: 'Where the processor time of a call goes, 100 in flight',
  goal: 'reported',
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
