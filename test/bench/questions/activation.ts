import { resolve } from 'node:path';
import { extensionPath } from '../../built.ts';
import { ratioTo, rowsOf } from '../contest.ts';
import { median } from '../editor/stage/figures.ts';
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
  goal: 'until VS Code may go on: ≤ 2.0 × empty extension, ≤ 1/40 of one that loads the official SDK',
  measure: async () => {
    const paths = {
      product: resolve(extensionPath),
      empty: bundlePath('emptyExtension'),
      emptyCommonJs: bundlePath('emptyCommonJsExtension'),
      withSdk: bundlePath('extensionWithSdk'),
    };
    const times = await loadInTurn('activate', paths, 25);
    const rows = rowsOf(times, { product: 'product', titles, unit: 'ms' });
    const started = await loadInTurn('start', { product: paths.product }, 25);
    const value = median(started.get('product') ?? []);
    const empty = median(times.get('empty') ?? []);
    rows.push({
      name: 'Hosted Model, until it has started in the turn after it',
      value,
      unit: 'ms',
    });
    rows.push({
      name: 'one that does nothing (to that)',
      value: empty,
      unit: 'ms',
      ratio: value / empty,
    });
    const isMet = ratioTo(rows, titles.empty) <= 2 && ratioTo(rows, titles.withSdk) <= 1 / 40;
    return { rows, isMet };
  },
};
export default question;
