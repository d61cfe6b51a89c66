import { callerRows, callerTitles, hold, ratioTo } from '../contest.ts';
import type { Question } from '../question.ts';

const CALLS = 4;

const question: Question = {
  title: 'CPU of a stream of 10,000 events',
  goal: '≤ 0.75 × official SDK',
  measure: async () => {
    const figures = await hold({
      callers: ['product', 'officialSdk', 'openai', 'axios', 'fetch', 'rawSocket'],
      answer: { pieces: 10_000, length: 4 },
      isReplayed: true,
      kind: 'stream',
      calls: CALLS,
      inFlight: 1,
      rounds: 11,
      warmUps: 6,
    });
    const rows = callerRows(figures, ({ cpuMs }) => cpuMs / CALLS, 'ms');
    return { rows, isMet: ratioTo(rows, callerTitles.officialSdk) <= 0.75 };
  },
};
export default question;
