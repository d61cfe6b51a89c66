import { outputs } from '../../built.ts';
import type { Question } from '../question.ts';

const KB = 1_000;

const question: Question = {
  title: 'All JavaScript by origin',
  goal: 'none',
  measure: async () => ({
    rows: categories().map(([name, bytes]) => ({ name, value: bytes / KB, unit: 'KB' })),
  }),
};
export default question;

/**
 * Returns the bundled size of each package, each folder in `src`, and everything else, in bytes.
 */
function categories(): [name: string, bytes: number][] {
  const sums = new Map<string, number>();
  for (const { inputs } of Object.values(outputs())) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /node_modules\/([^/]+)/.exec(path)?.[1] ?? /^src\/(\w+\/)?/.exec(path)?.[0];
      const category = name ?? 'added by esbuild';
      sums.set(category, (sums.get(category) ?? 0) + bytesInOutput);
    }
  }
  return [...sums].sort(([, one], [, other]) => other - one);
}
