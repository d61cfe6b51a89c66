import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { bundlePath } from '../peers.ts';
import { metafile, sessionPath } from '../product.ts';
import type { Question, Row } from '../question.ts';

const KB = 1_000;
/** Its VSIX, as its makers named it (cline/cline, pull request 11632). */
const CLINE_VSIX_KB = 7_280;

const question: Question = {
  title: 'Size',
  goal: 'activation ≤ 20 KB, HTTP stack ≤ 90 KB, all JavaScript ≤ 180 KB, VSIX ≤ 350 KB',
  measure: async () => {
    const { outputs } = metafile();
    const scripts = Object.keys(outputs).filter((path) => path.endsWith('.js'));
    const activation = loadedWith('dist/extension.js');
    const http = [`dist/${basename(sessionPath())}`];
    const sizes: [name: string, kilobytes: number, limit: number][] = [
      ['loaded at activation', kilobytesOf(activation), 20],
      ['HTTP stack', kilobytesOf(http), 90],
      ['all JavaScript', kilobytesOf(scripts), 180],
      ['VSIX', kilobytesOf(['hosted-model.vsix']), 350],
    ];
    const rows: Row[] = sizes.map(([name, value]) => ({ name, value, unit: 'KB' }));
    for (const [category, bytes] of categories()) {
      rows.push({ name: `of all JavaScript: ${category}`, value: bytes / KB, unit: 'KB' });
    }
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

/** The files that a file loads at once, itself included. */
function loadedWith(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  const imports = readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*"\.\/([\w.-]+)"/g);
  for (const [, name] of imports) loadedWith(`dist/${name}`, found);
  return found;
}

/** Bytes of each package, and of each folder of our own. */
function categories(): [name: string, bytes: number][] {
  const sums = new Map<string, number>();
  for (const { inputs } of Object.values(metafile().outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /node_modules\/([^/]+)/.exec(path)?.[1] ?? /^src\/(\w+\/)?/.exec(path)?.[0];
      const category = name ?? 'stand-ins of the builder';
      sums.set(category, (sums.get(category) ?? 0) + bytesInOutput);
    }
  }
  return [...sums].sort(([, one], [, other]) => other - one);
}
