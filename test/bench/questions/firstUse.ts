import { ratioTo, rowsWithRatios } from '../contest.ts';
import { loadInTurn } from '../loading.ts';
import { bundlePath } from '../peers.ts';
import { appPath } from '../product.ts';
import type { Question } from '../question.ts';

const titles = {
  product: 'Hosted Model',
  officialSdk: 'official SDK',
  openai: 'openai',
  axios: 'axios + axios-retry',
} as const;

const question: Question = {
  title: 'First use: loading the code of the first command',
  goal: '≤ 0.20 × official SDK',
  measure: async () => {
    const paths = {
      product: appPath(),
      officialSdk: bundlePath('officialSdk'),
      openai: bundlePath('openai'),
      axios: bundlePath('axios'),
    };
    const times = await loadInTurn('load', paths, 21);
    const rows = rowsWithRatios(times, { product: 'product', titles, unit: 'ms' });
    return { rows, isMet: ratioTo(rows, titles.officialSdk) <= 0.2 };
  },
};
export default question;
