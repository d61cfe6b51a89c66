import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, totalmem, type } from 'node:os';
import { peerVersions } from './peers.ts';
import type { Question, Result, Row } from './question.ts';

/** What `results.json` holds, and the page that is made of it. */

export type Answer = Pick<Question, 'title' | 'goal'> &
  Result & {
    /** The day it was asked, as YYYY-MM-DD: others may be of another day. */
    readonly date: string;
  };

export interface Results {
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly questions: readonly Answer[];
}

/** One answer as lines for a terminal. */
export function lines({ title, goal, isMet, rows }: Answer): string[] {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return [
    title,
    `  goal: ${goal}${isMet === undefined ? '' : isMet ? ' – met' : ' – NOT MET'}`,
    ...rows.map((row) =>
      `  ${row.name.padEnd(width)}  ${valueText(row).padStart(14)}   ${ratioText(row.ratio)}`.trimEnd(),
    ),
  ];
}

/** @param titles of all questions there are: what was not asked keeps its last answer */
export async function writeAnswer(asked: Answer, titles: readonly string[]): Promise<void> {
  const last: Results = JSON.parse(readFileSync('test/bench/results.json', 'utf8'));
  const questions = titles.flatMap(
    (title) => [asked, ...last.questions].find((answer) => answer.title === title) ?? [],
  );
  const results: Results = {
    machine: machine(),
    versions: versions(),
    questions,
  };
  await writeFile('test/bench/results.json', `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile('test/bench/RESULTS.md', page(results));
}

function page({ machine, versions, questions }: Results): string {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `# Results of \`npm run bench\`

${daysOf(questions)} on ${machine}. ${named.join(', ')}.

Values are medians of rounds in which all take turns. A ratio is the product's value to that of its row, the median of the rounds' own ratios: it holds where a busy machine moves the values themselves. All call the emulated service of this repository.

Far from the service is a real VS Code whose way to both services is a line with a round trip of 500 ms: every byte takes 250 ms each way, the first ones of a connection two round trips more, as TCP and TLS 1.3 need them, and a connection that nothing has passed for 5 s is closed at the far end. Three small extensions stand beside Hosted Model, each with lines of its own. Round trips are what the first character takes more than without that line, divided by 500 ms.

The questions asked in plain Node – the processor time of a call and of a stream, calls a second, the first token on a warm connection, memory – are reported and have no goal: they measure what no user of VS Code gets, which puts its own network layer under each extension.

${summary(questions)}

${questions.map(section).join('\n\n')}
`;
}

/** The day of all answers, or the first and the last one. */
export function daysOf(questions: readonly Answer[]): string {
  const days = questions.map(({ date }) => date).sort();
  return [...new Set([days[0], days.at(-1)])].join(' to ');
}

/** Of what has no peer, so many figures are told in a table of all questions. */
const OWN_ROWS = 8;

/** A row for each question: its first figures, and their ratios to those of others. */
export function summary(questions: readonly Answer[]): string {
  const rows = questions.map(({ title, goal, isMet, rows, date }) => {
    const own = rows.filter(({ ratio }) => ratio === undefined).slice(0, OWN_ROWS);
    const others = rows.filter(({ ratio }) => ratio !== undefined);
    const cells = [
      title,
      goal,
      metText(isMet),
      own.map((row) => `${row.name}: ${valueText(row)}`).join('<br>'),
      others.map(({ name, ratio }) => `${ratioText(ratio)} ${name}`).join('<br>'),
      date,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = ['Question', 'Goal', 'Met', 'Figure', 'Hosted Model to others', 'Asked on'].join(
    ' | ',
  );
  return [`| ${head} |`, '| --- | --- | --- | --- | --- | --- |', ...rows].join('\n');
}

function section({ title, rows }: Answer): string {
  const cells = rows.map(({ ratio, ...row }) => {
    const of = ratioText(ratio);
    return `| ${row.name} | ${valueText(row)} | ${of} |`;
  });
  return `## ${title}\n\n| | Value | Product to this |\n|---|--:|--:|\n${cells.join('\n')}`;
}

function metText(isMet: boolean | undefined): string {
  if (isMet === undefined) return '';
  return isMet ? 'yes' : '**no**';
}

function valueText({ value, unit }: Pick<Row, 'value' | 'unit'>): string {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const number = value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return unit === '' ? number : `${number} ${unit}`;
}

/** Three digits that count, so that no goal looks met or missed by rounding. */
export function ratioText(ratio: number | undefined): string {
  if (ratio === undefined) return '';
  return `${ratio.toPrecision(3)} ×`;
}

function machine(): string {
  const [processor] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${processor?.model.trim()}, ${gigabytes} GB, ${type()}`;
}

function versions(): Record<string, string> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  return { 'hosted-model': version, node: process.versions.node, ...peerVersions() };
}
