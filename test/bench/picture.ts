/**
 * Draws the benchmark chart. For round trips and connections, the product and each peer have a bar
 * that starts at 0. All other bars start at 1 on a logarithmic axis, and show the product's figure
 * divided by the peer's.
 */
import type { Row } from './question.ts';
import { type Answer, measuredOn, type Results, ratioText, valueText } from './results.ts';

/** Display width of the picture on pages, in pixels. */
const width = 640;
const margin = 20;
const bars = { left: 330, right: 537 };
const lineHeight = 16;
/** Maximum number of characters in a name beside the bars and in a line across the picture. */
const fits = { name: 47, line: 92 };
const noBreakSpace = '\u00a0';

interface Axis {
  readonly least: number;
  readonly most: number;
  readonly marks: readonly number[];
  /** The unit of the values. Undefined for ratios. */
  readonly unit?: string;
}

/** The axis for ratios close to 1. */
const narrow: Axis = { least: 1 / 5, most: 5, marks: [0.25, 0.5, 1, 2, 4] };
/** Axes that start at 0. An axis is extended if a bar doesn't fit. */
const fromZero: readonly Axis[] = [
  { least: 0, most: 10, marks: [0, 2, 4, 6, 8, 10], unit: 'round trips' },
  { least: 0, most: 22, marks: [0, 5, 10, 15, 20], unit: 'connections' },
];

/** Colors from the GitHub and VS Code themes. All text has a contrast ratio of at least 4.5:1. */
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
  .peer { fill: var(--pale); }
  .goal { stroke: var(--goal); stroke-width: 2.5; }
  .around { stroke: var(--back); stroke-width: 5.5; }
  .one { stroke: var(--pale); }
  .mark { stroke: var(--line); }
`;

interface Part {
  readonly drawn: readonly string[];
  /** The y coordinate of this part's lower edge, in pixels. */
  readonly bottom: number;
}

export const CHART = 'media/bench.svg';

/** Returns the chart as an SVG. Its description contains every figure, for screen readers. */
export function chartOf(results: Results): string {
  const { versions, questions } = withBars(results);
  let top = margin + 2;
  const drawn = [text(margin, top, 'Bars for round trips and connections start at 0.', 'pale')];
  top += lineHeight;
  const others =
    'All other bars start at 1 and show a ratio, such as Hosted Model ÷ alternative (logarithmic).';
  drawn.push(text(margin, top, others, 'pale'));
  top += lineHeight;
  drawn.push(text(margin, top, 'To the left of 1: the value before ÷ is smaller.', 'pale'));
  top += lineHeight;
  const goal = 'Orange line: the goal, if it has the same unit as the bars.';
  drawn.push(text(margin, top, goal, 'pale'));
  top += lineHeight / 2;
  for (const question of questions) {
    const part = partOf(question, top);
    drawn.push(...part.drawn);
    top = part.bottom;
  }
  top += lineHeight;
  const made = Object.entries(versions).map(
    ([name, version]) => `${name}${noBreakSpace}${version}`,
  );
  const footer = [measuredOn(questions), ...made].join(`${noBreakSpace}· `);
  for (const line of wrapped(footer, fits.line)) {
    drawn.push(text(margin, top, line, 'pale'));
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

/** Draws one question below `top`, a y coordinate in pixels. */
function partOf({ title, goal, isMet, rows }: Answer, top: number): Part {
  const drawn: string[] = [];
  let bottom = top + lineHeight * 1.5;
  const say = (words: string, most: number, kind = '') => {
    for (const line of wrapped(words, most)) {
      drawn.push(text(margin, bottom, line, kind));
      bottom += lineHeight;
    }
  };
  say(title, fits.line - 14, 'title');
  bottom += 2;
  const { words, kind } = verdict(isMet);
  say(`${words}${goal}`, fits.line, kind);
  bottom += 4;
  const axis = axisFor(rows);
  const goals = goalsIn(goal, rows, axis);
  const last = rows.findLast((row) => barred(axis, row) !== undefined);
  for (const row of rows) {
    drawn.push(...figureOf(axis, row, goals.get(row), bottom));
    say(nameOf(axis, row), fits.name);
    bottom += 3;
    if (row !== last) continue;
    drawn.push(...axisNames(axis, bottom));
    bottom += lineHeight;
  }
  return { drawn, bottom };
}

/** Draws a row's bar and number beside the row's name, or only the number if the row has no bar. */
function figureOf(axis: Axis, row: Row, goal: number | undefined, top: number): string[] {
  const value = barred(axis, row);
  if (value === undefined) return [text(bars.left, top, valueText(row), 'number')];
  const lines = wrapped(nameOf(axis, row), fits.name).length;
  const number = axis.unit ? valueText({ value, unit: '' }) : ratioText(value);
  const kind = axis.unit && row.name !== 'Hosted Model' ? 'peer' : 'bar';
  return [
    ...marksFrom(axis, top - 14, top - 11 + lines * lineHeight),
    // Draws the bar after the goal line's background. Otherwise, the background would cover the end
    // of a bar that exactly meets the goal.
    ...(goal === undefined ? [] : [goalAt(axis, goal, top, 'around')]),
    barOf(axis, value, kind, top),
    ...(goal === undefined ? [] : [goalAt(axis, goal, top, 'goal')]),
    text(width - margin, top, number, 'number', 'end'),
  ];
}

/** Returns the value that a row's bar shows, or undefined if the row has no bar. */
function barred({ unit }: Axis, row: Row): number | undefined {
  if (unit === undefined) return row.ratio;
  return row.unit === unit ? row.value : undefined;
}

function verdict(isMet: boolean | undefined): { words: string; kind: string } {
  if (isMet === undefined) return { words: '', kind: 'pale' };
  return isMet ? { words: '✓ Met: ', kind: 'met' } : { words: '✗ Not met: ', kind: 'missed' };
}

function nameOf(axis: Axis, row: Row): string {
  if (axis.unit || row.ratio === undefined) return row.name;
  return `÷ ${row.name} (${valueText(row).replaceAll(' ', noBreakSpace)})`;
}

function barOf(axis: Axis, value: number, kind: string, top: number): string {
  const [from, to] = [placeOf(axis, axis.unit ? 0 : 1), placeOf(axis, value)];
  const left = Math.min(from, to);
  const long = round(Math.max(1.5, Math.abs(to - from)));
  return `<rect class="${kind}" x="${left}" y="${top - 10}" width="${long}" height="11" rx="1.5"/>`;
}

function goalAt(axis: Axis, goal: number, top: number, kind: 'around' | 'goal'): string {
  const at = placeOf(axis, goal);
  return `<line class="${kind}" x1="${at}" x2="${at}" y1="${top - 13}" y2="${top + 4}"/>`;
}

function marksFrom(axis: Axis, top: number, bottom: number): string[] {
  return axis.marks.map((mark) => {
    const at = placeOf(axis, mark);
    const kind = mark === 1 && !axis.unit ? 'one' : 'mark';
    return `<line class="${kind}" x1="${at}" x2="${at}" y1="${top}" y2="${bottom}"/>`;
  });
}

function axisNames(axis: Axis, top: number): string[] {
  const names = axis.marks.map((mark) =>
    text(placeOf(axis, mark), top, `${mark}`, 'pale', 'middle'),
  );
  return axis.unit ? [...names, text(width - margin, top, axis.unit, 'pale', 'end')] : names;
}

function axisFor(rows: readonly Row[]): Axis {
  const counted = fromZero.find(({ unit }) => unit === rows[0]?.unit);
  if (counted) {
    const values = rows.map((row) => barred(counted, row) ?? 0);
    return { ...counted, most: Math.max(counted.most, ...values) };
  }
  const ratios = rows.map(({ ratio = 1 }) => ratio);
  const isNarrow = ratios.every((ratio) => ratio >= narrow.least && ratio <= narrow.most);
  return isNarrow ? narrow : wideAxis([1, ...ratios]);
}

/** Returns an axis that is marked in powers of 10 and has room for all ratios. */
function wideAxis(ratios: readonly number[]): Axis {
  const first = Math.floor(Math.log10(Math.min(...ratios)));
  const last = Math.ceil(Math.log10(Math.max(...ratios)));
  const marks = Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
  return { least: 10 ** first, most: 10 ** last, marks };
}

/** Returns the x coordinate of a value on an axis, in pixels. */
function placeOf({ least, most, unit }: Axis, value: number): number {
  const share = unit ? value / most : Math.log(value / least) / Math.log(most / least);
  return round(bars.left + share * (bars.right - bars.left));
}

/**
 * Parses the text of a goal, such as `≤ 0.90 × official SDK`.
 * @returns the goal of each row that has a goal
 */
function goalsIn(goal: string, rows: readonly Row[], { unit }: Axis): Map<Row, number> {
  const goals = new Map<Row, number>();
  const [product] = rows;
  if (product && unit) return goals.set(product, Number.parseFloat(goal.replace('≤', '')));
  for (const [, multiple, peer = ''] of goal.matchAll(/(\d[\d.]*) ×\s*([^,;]*)/g)) {
    const words = peer
      .trim()
      .toLowerCase()
      .replace(/^(an?|for the) /, '');
    const named = rows.filter(({ name }) => name.toLowerCase().includes(words));
    for (const row of named) if (row.ratio !== undefined) goals.set(row, Number(multiple));
  }
  return goals;
}

function described(questions: Results['questions']): string {
  return questions
    .map(({ title, goal, isMet, rows }) => {
      const figures = rows.map(({ ratio, ...row }) => {
        const times = ratio === undefined ? '' : `, Hosted Model ÷ this: ${ratioText(ratio)}`;
        return `${row.name}: ${valueText(row)}${times}`;
      });
      const { words } = verdict(isMet);
      return `${title}. ${words.replace(/^\W+/, '')}${goal}. ${figures.join('; ')}.`;
    })
    .join(' ');
}

function text(x: number, y: number, words: string, kind = '', anchor = 'start'): string {
  return `<text x="${x}" y="${y}" class="${kind}" text-anchor="${anchor}">${escaped(words)}</text>`;
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

/** Keeps only questions that have a goal and at least one bar. `RESULTS.md` shows all questions. */
function withBars(results: Results): Results {
  const questions = results.questions.filter(({ isMet, rows }) => {
    const axis = axisFor(rows);
    return isMet !== undefined && rows.some((row) => barred(axis, row) !== undefined);
  });
  return { ...results, questions };
}
