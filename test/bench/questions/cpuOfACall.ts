import { callerRows, runContest } from '../contest.ts';
import type { Question } from '../question.ts';

const CALLS = 300;

const question: Question = {
  title: 'CPU time of a call without streaming',
  goal: 'none',
  measure: async () => {
    const figures = await runContest({
      callers: ['product', 'officialSdk', 'openai', 'axios', 'fetch', 'rawSocket'],
      answer: { pieces: 220, length: 5 },
      isReplayed: true,
      kind: 'call',
      calls: CALLS,
      inFlight: 1,
      rounds: 21,
      warmUps: 4,
    });
    return { rows: callerRows(figures, ({ cpuMs }) => (cpuMs * 1_000) / CALLS, 'µs') };
  },
};
export default question;
