import { statSync } from 'node:fs';
import { loadedAtFirstUse, loadedAtStart, outputs } from '../../built.ts';
import { bundlePath } from '../peers.ts';
import type { Question, Row } from '../question.ts';

const KB = 1_000;
/** Its VSIX, as its makers named it (cline/cline, pull request 11632). */
const CLINE_VSIX_KB = 7_280;

const question: Question = {
  title: 'Size',
  goal: 'activation ≤ 20 KB, loaded at first use ≤ 125 KB, all JavaScript ≤ 180 KB, VSIX ≤ 350 KB',
  measure: async () => {
    const scripts = Object.keys(outputs()).filter((path) => path.endsWith('.js'));
    const sizes: [name: string, kilobytes: number, limit: number][] = [
      ['loaded at activation', kilobytesOf(loadedAtStart()), 20],
      ['loaded at first use', kilobytesOf(loadedAtFirstUse()), 125],
      ['all JavaScript', kilobytesOf(scripts), 180],
      ['VSIX', kilobytesOf(['hosted-model.vsix']), 350],
    ];
    const rows: Row[] = sizes.map(([name, value]) => ({ name, value, unit: 'KB' }));
    const [, , scriptsRow, vsixRow] = rows as [Row, Row, Row, Row];
    const sdk = kilobytesOf([bundlePath('officialSdk')]);
    const compared = (name: string, value: number, own: Row): Row => {
      return { name, value, unit: 'KB', ratio: own.value / value };
    };
    rows.push(compared('official SDK, bundled (to all JavaScript)', sdk, scriptsRow));
    rows.push(compared('VSIX of Cline (to VSIX)', CLINE_VSIX_KB, vsixRow));
    return { rows, isMet: sizes.every(([, size, limit]) => size <= limit) };
  },
};
export default question;

function kilobytesOf(paths: Iterable<string>): number {
  return [...paths].reduce((sum, path) => sum + statSync(path).size / KB, 0);
}
