import { statSync } from 'node:fs';
import { loadedAtStart, loadedByFirstCommand, outputs } from '../../built.ts';
import { bundlePath } from '../peers.ts';
import type { Question, Row } from '../question.ts';

const KB = 1_000;
/** Size of Cline's VSIX, as reported in cline/cline pull request 11632. */
const CLINE_VSIX_KB = 7_280;

const question: Question = {
  title: 'Size',
  goal: 'none',
  measure: async () => {
    const scripts = Object.keys(outputs()).filter((path) => path.endsWith('.js'));
    const sizes: [name: string, kilobytes: number][] = [
      ['loaded at activation', kilobytesOf(loadedAtStart())],
      ['loaded by the first command', kilobytesOf(loadedByFirstCommand())],
      ['all JavaScript', kilobytesOf(scripts)],
      ['VSIX', kilobytesOf(['hosted-model.vsix'])],
    ];
    const rows: Row[] = sizes.map(([name, value]) => ({ name, value, unit: 'KB' }));
    const [, , scriptsRow, vsixRow] = rows as [Row, Row, Row, Row];
    const sdk = kilobytesOf([bundlePath('officialSdk')]);
    const compared = (name: string, value: number, own: Row): Row => {
      return { name, value, unit: 'KB', ratio: own.value / value };
    };
    rows.push(compared('official SDK, bundled (to all JavaScript)', sdk, scriptsRow));
    rows.push(compared('VSIX of Cline (to VSIX)', CLINE_VSIX_KB, vsixRow));
    return { rows };
  },
};
export default question;

function kilobytesOf(paths: Iterable<string>): number {
  return [...paths].reduce((sum, path) => sum + statSync(path).size / KB, 0);
}
