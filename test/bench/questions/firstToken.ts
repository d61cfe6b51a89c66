import { callerRows, runContest } from '../contest.ts';
import type { Question } from '../question.ts';

const question: Question = {
  title: 'First token of a stream on a warm connection',
  goal: 'none',
  measure: async () => {
    const figures = await runContest({
      callers: ['product', 'officialSdk', 'openai', 'axios', 'fetch', 'rawSocket'],
      answer: { pieces: 1, length: 5 },
      isReplayed: true,
      kind: 'stream',
      calls: 150,
      inFlight: 1,
      rounds: 15,
      warmUps: 4,
    });
    return { rows: callerRows(figures, ({ firstTextMs }) => firstTextMs * 1_000, 'µs') };
  },
};
export default question;
