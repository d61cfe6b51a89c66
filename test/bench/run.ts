/**
 * `npm run bench [part of a title]`: asks every question, or those whose title has the part, and
 * prints the answers. A run of all writes `results.json` and `RESULTS.md`.
 */
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installPeers } from './peers.ts';
import type { Question } from './question.ts';
import { type Answer, lines, writeResults } from './results.ts';

const part = process.argv.slice(2).join(' ').toLowerCase();

const files = globSync(['test/bench/questions/*.ts', 'test/bench/editor/*.ts']).sort();
const modules: { default?: Question }[] = await Promise.all(
  files.map((path) => import(pathToFileURL(resolve(path)).href)),
);
// What several questions share may stand beside them.
const questions = modules.flatMap((module) => module.default ?? []);
const asked = questions.filter(({ title }) => title.toLowerCase().includes(part));
if (asked.length === 0) {
  console.log(`No title has “${part}”. There are:`);
  for (const { title } of questions) console.log(`  ${title}`);
  process.exit(1);
}

await installPeers();
const answers: Answer[] = [];
for (const { title, goal, measure } of asked) {
  const startedAt = performance.now();
  const answer = { title, goal, ...(await measure()) };
  answers.push(answer);
  console.log(`\n${lines(answer).join('\n')}`);
  console.log(`(${((performance.now() - startedAt) / 1_000).toFixed(0)} s)`);
}
if (part === '') await writeResults(answers);
