import { Child } from '../child.ts';
import { callerTitles } from '../contest.ts';
import type { Figures, Order } from '../contestant.ts';
import type { Trouble } from '../emulatorProcess.ts';
import type { Question, Row } from '../question.ts';

/**
 * Counts token requests and failed calls. Each situation is measured only once, because the counts
 * don't vary.
 */

const thousand: Order = { kind: 'call', calls: 1_000, inFlight: 1_000 };
const oneAtATime: Order = { kind: 'call', calls: 10, inFlight: 1 };

interface Situation {
  readonly name: string;
  readonly trouble: Trouble;
  /** True to make a call and revoke its token before counting. */
  readonly isRevoked?: boolean;
  readonly order: Order;
  readonly goal: number;
}

const situations: readonly Situation[] = [
  { name: '1,000 callers without a token', trouble: {}, order: thousand, goal: 1 },
  { name: '1,000 calls, token revoked', trouble: {}, isRevoked: true, order: thousand, goal: 1 },
  {
    name: '1,000 callers, token endpoint fails once',
    trouble: { tokenFailures: 1 },
    order: thousand,
    goal: 2,
  },
  {
    name: '10 consecutive calls, server clock an hour behind',
    trouble: { clockOffsetSeconds: -3_700 },
    order: oneAtATime,
    goal: 1,
  },
];

const question: Question = {
  title: 'Token requests and failed calls',
  goal: '1, 1, 2, and 1 requests, no failed calls',
  measure: async () => {
    const rows: Row[] = [];
    let isMet = true;
    for (const caller of ['product', 'officialSdk'] as const) {
      for (const situation of situations) {
        const { requests, failed } = await count(caller, situation);
        const name = `${situation.name}: ${callerTitles[caller]}`;
        rows.push({ name, value: requests, unit: 'requests' });
        rows.push({ name: `${name}, failed`, value: failed, unit: 'calls' });
        if (caller === 'product') isMet &&= requests === situation.goal && failed === 0;
      }
    }
    return { rows, isMet };
  },
};
export default question;

async function count(caller: string, { trouble, isRevoked, order }: Situation) {
  const emulator = new Child('test/bench/emulatorProcess.ts');
  const url = await emulator.ask<string>('url');
  const child = new Child('test/bench/contestant.ts', [caller, url]);
  try {
    await emulator.ask('prepare', trouble);
    if (isRevoked) {
      await child.ask('run', { kind: 'call', calls: 1, inFlight: 1 } satisfies Order);
      await emulator.ask('revokeTokens');
    }
    const before = await emulator.ask<number>('tokenRequests');
    const { failed } = await child.ask<Figures>('run', order);
    return { requests: (await emulator.ask<number>('tokenRequests')) - before, failed };
  } finally {
    emulator.end();
    child.end();
  }
}
