import { callerRows, runContest } from '../contest.ts';
import type { Question } from '../question.ts';

const CALLS = 4;

const question: Question = {
  title: 'CPU time of the same stream, each event in its own packet',
  goal: 'none, because the socket uses nearly all of this time',
  measure: async () => {
    const figures = await runContest({
      callers: ['product', 'officialSdk', 'openai', 'axios', 'fetch', 'rawSocket'],
      answer: { pieces: 10_000, length: 4 },
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
