import { callerRows, runContest } from '../contest.ts';
import type { Question } from '../question.ts';

const CALLS = 4;

const question: Question = {
  title: 'CPU time of a stream of 10,000 events',
  goal: 'none',
  measure: async () => {
    const figures = await runContest({
      callers: ['product', 'officialSdk', 'openai', 'axios', 'fetch', 'rawSocket'],
      answer: { pieces: 10_000, length: 4 },
      isReplayed: true,
      kind: 'stream',
      calls: CALLS,
      inFlight: 1,
      rounds: 11,
      warmUps: 6,
    });
    return { rows: callerRows(figures, ({ cpuMs }) => cpuMs / CALLS, 'ms') };
  },
};
export default question;
