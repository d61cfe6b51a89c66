import { callerRows, runContest } from '../contest.ts';
import type { Question } from '../question.ts';

const CALLS = 1_000;

const question: Question = {
  title: 'Calls per second, 100 at the same time',
  goal: 'none',
  measure: async () => {
    const figures = await runContest({
      callers: ['product', 'officialSdk', 'openai', 'axios', 'fetch'],
      answer: { pieces: 220, length: 5 },
      isReplayed: true,
      kind: 'call',
      calls: CALLS,
      inFlight: 100,
      rounds: 25,
      warmUps: 12,
    });
    return { rows: callerRows(figures, ({ ms }) => CALLS / (ms / 1_000), 'per second') };
  },
};
export default question;
