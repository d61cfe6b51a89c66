import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, totalmem, type } from 'node:os';
import { peerVersions } from './peers.ts';
import type { Question, Result, Row } from './question.ts';

/** Reads and writes `results.json`, and generates `RESULTS.md` from it. */

export type Answer = Pick<Question, 'title' | 'goal'> &
  Result & {
    /** The date of the measurement, as YYYY-MM-DD. */
    readonly date: string;
    /** The machine's processors, memory, and operating system. */
    readonly machine: string;
  };

export interface Results {
  readonly versions: Readonly<Record<string, string>>;
  readonly questions: readonly Answer[];
}

/** Formats an answer for a terminal. */
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

/**
 * Writes an answer to `results.json` and `RESULTS.md`.
 * @param titles the titles of all questions, including those that keep their previous answers
 */
export async function writeAnswer(asked: Answer, titles: readonly string[]): Promise<void> {
  const last = readResults();
  const questions = titles.flatMap(
    (title) => [asked, ...last.questions].find((answer) => answer.title === title) ?? [],
  );
  const results: Results = {
    versions: versions(),
    questions,
  };
  await writeFile('test/bench/results.json', `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile('test/bench/RESULTS.md', page(results));
}

function page({ versions, questions }: Results): string {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `# Results of \`npm run bench\`

${measuredOn(questions)}. ${named.join(', ')}.

In each round, all contestants take turns calling this repository's emulated service. Values are medians of all rounds. A ratio is Hosted Model's value divided by the value in the same row. In plain Node, it's the median of the ratios of all rounds, which is reliable even if a busy machine changes the values. In VS Code, it's the ratio of the medians.

_Far from the service_ means that a real VS Code reaches the identity service and the model service over links with a round trip of 500 ms. Every byte takes 250 ms each way. A new connection needs two more round trips, as with TCP and TLS 1.3. The far end closes a connection after 5 s without traffic. Hosted Model is compared with three small extensions, each on its own links. The number of round trips is how much later the first character appears than near the service, divided by 500 ms.

In plain Node, the CPU time of a call and of a stream, calls per second, the first token on a warm connection, and memory have no goal. VS Code adds its own network layer to every extension, so users never get these values.

${summary(questions)}

${questions.map(section).join('\n\n')}
`;
}

/**
 * Lists each machine with the day of its measurements, or with the first and last day, such as
 * `2026-11-01 to 2026-11-03 on 2 × Example CPU, 8 GB, Linux`.
 */
export function measuredOn(questions: readonly Answer[]): string {
  const byMachine = [...Map.groupBy(questions, ({ machine }) => machine)];
  const parts = byMachine.map(([machine, answers]) => {
    const days = answers.map(({ date }) => date).sort();
    return `${[...new Set([days[0], days.at(-1)])].join(' to ')} on ${machine}`;
  });
  return parts.sort().join('; ');
}

/** Maximum number of values without a ratio in a summary row. */
const OWN_ROWS = 8;

/**
 * Returns a table with one row for each question. A row shows all of the question's ratios, and up
 * to `OWN_ROWS` values that have no ratio.
 */
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
  const head = [
    'Question',
    'Goal',
    'Met',
    'Values',
    'Hosted Model ÷ alternative',
    'Measured on',
  ].join(' | ');
  return [`| ${head} |`, '| --- | --- | --- | --- | --- | --- |', ...rows].join('\n');
}

function section({ title, rows }: Answer): string {
  const cells = rows.map(({ ratio, ...row }) => {
    const of = ratioText(ratio);
    return `| ${row.name} | ${valueText(row)} | ${of} |`;
  });
  return `## ${title}\n\n| | Value | Hosted Model ÷ this |\n|---|--:|--:|\n${cells.join('\n')}`;
}

function metText(isMet: boolean | undefined): string {
  if (isMet === undefined) return '';
  return isMet ? 'yes' : '**no**';
}

/** Reads the answers to all questions. */
export function readResults(): Results {
  return JSON.parse(readFileSync('test/bench/results.json', 'utf8'));
}

/** Formats a value and its unit for the table and the chart. */
export function valueText({ value, unit }: Pick<Row, 'value' | 'unit'>): string {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const number = value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return unit === '' ? number : `${number} ${unitText(value, unit)}`;
}

/** Returns the unit, which is singular if the value is 1, as in `1 connection`. */
function unitText(value: number, unit: string): string {
  return value === 1 ? unit.replace(/(call|connection|request|step)s$/, '$1') : unit;
}

/**
 * Formats a ratio with three significant digits so that rounding rarely hides whether a goal was
 * met.
 */
export function ratioText(ratio: number | undefined): string {
  if (ratio === undefined) return '';
  return `${ratio.toPrecision(3)} ×`;
}

/** Describes this machine, as in `2 × Example CPU, 8 GB, Linux`. */
export function machineText(): string {
  const [processor] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${processor?.model.trim()}, ${gigabytes} GB, ${type()}`;
}

function versions(): Record<string, string> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  return { 'hosted-model': version, node: process.versions.node, ...peerVersions() };
}
