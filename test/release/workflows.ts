import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

/**
 * Reads the jobs and steps of a GitHub workflow. The types contain only the fields that the tests
 * need.
 */

export interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Job {
  readonly steps: readonly Step[];
}

export const WORKFLOWS = ['.github/workflows/ci.yml', '.github/workflows/release.yml'] as const;

export function jobsOf(path: string): Readonly<Record<string, Job>> {
  return (load(readFileSync(path, 'utf8')) as { readonly jobs: Record<string, Job> }).jobs;
}

// `npm run --silent ci` prints the test job's commands, for use in a clean clone.
if (import.meta.main) {
  const { tests } = jobsOf(WORKFLOWS[0]);
  console.log(tests?.steps.flatMap(({ run = [] }) => run).join('\n'));
}
