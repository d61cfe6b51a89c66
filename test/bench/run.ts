/**
 * `npm run bench [part]`: measures and prints the answers to all questions, or only to those whose
 * path or title contains `part`. The questions in `editor/` and `far/` use a real VS Code.
 * New answers replace the old ones in `results.json` and `RESULTS.md`.
 */
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installPeers } from './peers.ts';
import type { Question } from './question.ts';
import { type Answer, lines, machineText, writeAnswer } from './results.ts';

interface Module {
  readonly default: Question | Question[];
}

const part = process.argv.slice(2).join(' ').toLowerCase();

/** Questions about how long users wait come first. */
const patterns = ['test/bench/far/*.ts', 'test/bench/editor/*.ts', 'test/bench/questions/*.ts'];
const files = patterns.flatMap((pattern) => globSync(pattern).sort());
const questions = await Promise.all(
  files.map(async (path) => {
    const module: Module = await import(pathToFileURL(resolve(path)).href);
    return [module.default].flat().map((question) => ({ path, question }));
  }),
).then((all) => all.flat());
const named = questions.filter(({ path, question }) =>
  [path, question.title].some((name) => name.toLowerCase().includes(part)),
);
if (named.length === 0) {
  console.log(`No question contains “${part}”. All questions:`);
  for (const { path, question } of questions) console.log(`  ${path}: ${question.title}`);
  process.exit(1);
}

await installPeers();
const titles = questions.map(({ question }) => question.title);
for (const { question } of named) {
  const { title, goal, measure } = question;
  const startedAt = performance.now();
  const date = new Date().toISOString().slice(0, 10);
  const answer: Answer = { title, goal, date, machine: machineText(), ...(await measure()) };
  console.log(`\n${lines(answer).join('\n')}`);
  console.log(`(${((performance.now() - startedAt) / 1_000).toFixed(0)} s)`);
  // Writes each answer immediately so that it isn't lost if a later question fails.
  await writeAnswer(answer, titles);
}
