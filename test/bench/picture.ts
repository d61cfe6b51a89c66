/**
 * `node test/bench/picture.ts`: draws media/bench.svg from test/bench/results.json. Bars are the
 * product's figures in multiples of each peer's, on a logarithmic axis: less to the left of 1, more
 * to its right.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Row } from './question.ts';
import { type Results, ratioText } from './results.ts';

/** Pixels of the picture, which is shown as wide as it is. */
const width = 640;
const margin = 20;
const bars = { left: 330, right: 560 };
const lineHeight = 16;
/** Characters of a text of 12 pixels that fit beside the bars, and across the picture. */
const fits = { name: 47, line: 92 };

/** Multiples: what is beyond is drawn up to there, and its number says how far it is. */
interface Axis {
  readonly least: number;
  readonly most: number;
  readonly marks: readonly number[];
}

/** For figures that are alike, and for all others. */
const narrow: Axis = { least: 1 / 5, most: 5, marks: [0.25, 0.5, 1, 2, 4] };
const wide: Axis = { least: 1 / 120, most: 20, marks: [0.01, 0.1, 1, 10] };

/** Of VS Code's and GitHub's own themes; each has a contrast of 4.5 or more on its background. */
const style = `
  :root { color-scheme: light dark; --back: #ffffff; --text: #1f2328; --pale: #59636e;
    --line: #d1d9e0; --bar: #0969da; --met: #1a7f37; --missed: #cf222e; --goal: #bc4c00; }
  @media (prefers-color-scheme: dark) {
    :root { --back: #0d1117; --text: #e6edf3; --pale: #9198a1; --line: #3d444d; --bar: #4493f8;
      --met: #3fb950; --missed: #f85149; --goal: #ffa657; }
  }
  text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: var(--text); }
  .title { font-weight: 600; font-size: 14px; }
  .pale { fill: var(--pale); }
  .number { font-variant-numeric: tabular-nums; font-weight: 600; }
  .met { fill: var(--met); }
  .missed { fill: var(--missed); }
  .back { fill: var(--back); }
  .bar { fill: var(--bar); }
  .goal { stroke: var(--goal); stroke-width: 2.5; }
  .around { stroke: var(--back); stroke-width: 5.5; }
  .one { stroke: var(--pale); }
  .mark { stroke: var(--line); }
`;

/** An SVG with the words for people who hear it read: every figure is in its description. */
function pictureOf({ date, machine, versions, questions }: Results): string {
  const drawn: string[] = [];
  let top = margin;
  const say = (x: number, text: string, kind = '', anchor = 'start') =>
    drawn.push(
      `<text x="${x}" y="${top}" class="${kind}" text-anchor="${anchor}">${escaped(text)}</text>`,
    );
  top += 2;
  say(margin, 'Bars: figure of Hosted Model ÷ figure of the peer (logarithmic).', 'pale');
  say(width - margin, 'Orange line: the goal.', 'pale', 'end');
  top += lineHeight / 2;
  for (const question of questions) {
    top += lineHeight * 1.5;
    for (const line of wrapped(question.title, fits.line - 14)) {
      say(margin, line, 'title');
      top += lineHeight + 2;
    }
    const { words, kind } = verdict(question.isMet);
    for (const line of wrapped(`${words}${question.goal}`, fits.line)) {
      say(margin, line, kind);
      top += lineHeight;
    }
    top += 4;
    const goals = goalsIn(question.goal, question.rows);
    const axis = axisFor(question.rows);
    const rows: string[] = [];
    for (const row of question.rows) {
      const lines = wrapped(nameOf(row), fits.name);
      if (row.ratio === undefined) {
        rows.push(text(bars.left, top, `${figure(row.value)} ${row.unit}`.trim(), 'number'));
      } else {
        rows.push(...marksFrom(axis, top - 14, top - 11 + lines.length * lineHeight));
        rows.push(...barOf(axis, row.ratio, goals.get(row), top));
        rows.push(text(width - margin, top, ratioText(row.ratio), 'number', 'end'));
      }
      for (const line of lines) {
        rows.push(text(margin, top, line));
        top += lineHeight;
      }
      top += 3;
    }
    if (question.rows.some(({ ratio }) => ratio !== undefined)) {
      drawn.push(...axisNames(axis, top));
      top += lineHeight;
    }
    drawn.push(...rows);
  }
  top += lineHeight;
  const made = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  for (const line of wrapped(`${date} · ${machine} · ${made.join(' · ')}`, fits.line)) {
    say(margin, line, 'pale');
    top += lineHeight;
  }
  const title = 'Benchmark of Hosted Model';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" role="img" aria-labelledby="title description">
<title id="title">${title}</title>
<desc id="description">${escaped(described(questions))}</desc>
<style>${style}</style>
<rect class="back" width="${width}" height="${top}" rx="8"/>
${drawn.join('\n')}
</svg>
`;
}

function verdict(isMet: boolean | undefined): { words: string; kind: string } {
  if (isMet === undefined) return { words: '', kind: 'pale' };
  return isMet ? { words: '✓ Met: ', kind: 'met' } : { words: '✗ Not met: ', kind: 'missed' };
}

function nameOf({ name, value, unit, ratio }: Row): string {
  return ratio === undefined ? name : `÷ ${name} (${figure(value)} ${unit})`;
}

function barOf(axis: Axis, ratio: number, goal: number | undefined, top: number): string[] {
  const [from, to] = [placeOf(axis, 1), placeOf(axis, ratio)];
  const left = Math.min(from, to);
  const long = Math.max(1.5, Math.abs(to - from));
  const bar = `<rect class="bar" x="${left}" y="${top - 10}" width="${round(long)}" height="11" rx="1.5"/>`;
  if (goal === undefined) return [bar];
  const at = placeOf(axis, goal);
  const lines = ['around', 'goal'].map(
    (kind) => `<line class="${kind}" x1="${at}" x2="${at}" y1="${top - 13}" y2="${top + 4}"/>`,
  );
  return [bar, ...lines];
}

function marksFrom(axis: Axis, top: number, bottom: number): string[] {
  return axis.marks.map((mark) => {
    const at = placeOf(axis, mark);
    const kind = mark === 1 ? 'one' : 'mark';
    return `<line class="${kind}" x1="${at}" x2="${at}" y1="${top}" y2="${bottom}"/>`;
  });
}

function axisNames(axis: Axis, top: number): string[] {
  return axis.marks.map((mark) => text(placeOf(axis, mark), top, `${mark}`, 'pale', 'middle'));
}

function axisFor(rows: readonly Row[]): Axis {
  const isNarrow = rows.every(({ ratio = 1 }) => ratio >= narrow.least && ratio <= narrow.most);
  return isNarrow ? narrow : wide;
}

/** Pixels from the left. */
function placeOf(axis: Axis, ratio: number): number {
  const kept = Math.min(axis.most, Math.max(axis.least, ratio));
  const share = Math.log(kept / axis.least) / Math.log(axis.most / axis.least);
  return round(bars.left + share * (bars.right - bars.left));
}

/** Goals such as `≤ 0.90 × official SDK`, by the rows that they are about. */
function goalsIn(goal: string, rows: readonly Row[]): Map<Row, number> {
  const goals = new Map<Row, number>();
  for (const [, multiple, peer = ''] of goal.matchAll(/(\d[\d.]*) ×\s*([^,;]*)/g)) {
    const words = peer.trim().toLowerCase();
    const named = rows.filter(({ name }) => name.toLowerCase().includes(words));
    for (const row of named) if (row.ratio !== undefined) goals.set(row, Number(multiple));
  }
  return goals;
}

function described(questions: Results['questions']): string {
  return questions
    .map(({ title, goal, isMet, rows }) => {
      const figures = rows.map(({ name, value, unit, ratio }) => {
        const times = ratio === undefined ? '' : `, Hosted Model has ${figure(ratio)} times that`;
        return `${name}: ${figure(value)} ${unit}${times}`;
      });
      const { words } = verdict(isMet);
      return `${title}. ${words.replace(/^\W+/, '')}${goal}. ${figures.join('; ')}.`;
    })
    .join(' ');
}

function text(x: number, y: number, words: string, kind = '', anchor = 'start'): string {
  return `<text x="${x}" y="${y}" class="${kind}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

/** Three digits that count, as people write them. */
function figure(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: value >= 100 ? 4 : 3 });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function wrapped(words: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < most)
      lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The questions whose goal is set beside somebody else's figure; `RESULTS.md` has the others, too. */
function withComparedGoals(results: Results): Results {
  const questions = results.questions.filter(
    ({ isMet, rows }) => isMet !== undefined && rows.some(({ ratio }) => ratio !== undefined),
  );
  return { ...results, questions };
}

/** Draws the results of the last full run. */
export async function drawPicture(): Promise<void> {
  const results = JSON.parse(await readFile(join(import.meta.dirname, 'results.json'), 'utf8'));
  const picture = join(import.meta.dirname, '..', '..', 'media', 'bench.svg');
  await writeFile(picture, pictureOf(withComparedGoals(results)));
}

if (import.meta.main) await drawPicture();
