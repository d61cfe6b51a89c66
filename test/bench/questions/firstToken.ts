import { callerRows, callerTitles, hold, ratioTo } from '../contest.ts';
import type { Question } from '../question.ts';

const question: Question = {
  title: 'First token of a stream, connection warm',
  goal: '≤ 0.75 × official SDK',
  measure: async () => {
    const figures = await hold({
      callers: ['product', 'officialSdk', 'openai', 'axios', 'fetch', 'rawSocket'],
      answer: { pieces: 1, length: 5 },
      isReplayed: true,
      kind: 'stream',
      calls: 150,
      inFlight: 1,
      rounds: 15,
      warmUps: 4,
    });
    const rows = callerRows(figures, ({ firstTextMs }) => firstTextMs * 1_000, 'µs');
    return { rows, isMet: ratioTo(rows, callerTitles.officialSdk) <= 0.75 };
  },
};
export default question;
