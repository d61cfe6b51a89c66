/** One question alone: `node test/bench/one.ts editor/activation`. */
import { join } from 'node:path';
import type { Question } from './question.ts';

const path = join(import.meta.dirname, `${process.argv[2]}.ts`);
const { default: question } = (await import(path)) as { default: Question };
const { rows, isMet } = await question.measure();
console.log(`${question.title} (goal: ${question.goal}; met: ${isMet ?? 'only reported'})`);
console.table(rows);
