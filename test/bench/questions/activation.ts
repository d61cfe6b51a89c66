import { resolve } from 'node:path';
import { extensionPath } from '../../built.ts';
import { ratioTo, rowsWithRatios } from '../contest.ts';
import { loadInTurn } from '../loading.ts';
import { bundlePath } from '../peers.ts';
import type { Question } from '../question.ts';

const titles = {
  product: 'Hosted Model',
  empty: 'empty extension',
  emptyCommonJs: 'empty extension, CommonJS',
  withSdk: 'extension that loads the official SDK',
} as const;

const question: Question = {
  title: 'Activation in a model of the extension host',
  goal: '≤ 1/40 of an extension that loads the official SDK',
  measure: async () => {
    const paths = {
      product: resolve(extensionPath),
      empty: bundlePath('emptyExtension'),
      emptyCommonJs: bundlePath('emptyCommonJsExtension'),
      withSdk: bundlePath('extensionWithSdk'),
    };
    const times = await loadInTurn('activate', paths, 25);
    const rows = rowsWithRatios(times, { product: 'product', titles, unit: 'ms' });
    return { rows, isMet: ratioTo(rows, titles.withSdk) <= 1 / 40 };
  },
};
export default question;
