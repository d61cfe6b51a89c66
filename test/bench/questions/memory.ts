import { Child } from '../child.ts';
import type { Figures, Order } from '../contestant.ts';
import type { Question } from '../question.ts';

const ROUNDS = 3;

const question: Question = {
  title: 'Memory after 1,000 generations of 8 KB',
  goal: 'none',
  measure: async () => {
    const rounds: { first: number; last: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureOnce());
    const [{ first, last }] = rounds
      .toSorted((one, other) => one.last / one.first - other.last / other.first)
      .slice(ROUNDS >> 1) as [{ first: number; last: number }];
    const megabytes = (bytes: number) => bytes / 1e6;
    return {
      rows: [
        { name: 'after 1,000 generations', value: megabytes(last), unit: 'MB' },
        { name: 'after the first', value: megabytes(first), unit: 'MB', ratio: last / first },
      ],
    };
  },
};
export default question;

async function measureOnce(): Promise<{ first: number; last: number }> {
  const emulator = new Child('test/bench/emulatorProcess.ts');
  const url = await emulator.ask<string>('url');
  const child = new Child('test/bench/contestant.ts', ['product', url], ['--expose-gc']);
  try {
    await emulator.ask('answer', { pieces: 1_600, length: 5 });
    const generate = (calls: number) =>
      child.ask<Figures>('run', { kind: 'call', calls, inFlight: 1 } satisfies Order);
    await generate(1);
    const first = await child.ask<number>('heapBytes');
    await generate(999);
    return { first, last: await child.ask<number>('heapBytes') };
  } finally {
    emulator.end();
    child.end();
  }
}
