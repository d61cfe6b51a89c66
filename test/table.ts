import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';

/** A table of counts or measurements. */
export interface Table {
  /** The headline of the table, with its most important number. */
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** Text below the table, such as an explanation of the columns. */
  readonly note?: string;
  /** Name of the file in test/figures, without `.md`. If undefined, the table is only printed. */
  readonly figure?: string;
}

/** True if tables are also written to test/figures, as in `npm run figures`. */
export const isQuoted = process.env['HOSTED_MODEL_FIGURES'] === '1';

/**
 * Prints a table. In `npm run figures`, also writes it to the file that the docs quote. Otherwise,
 * checks the title in that file.
 */
export function printTable(table: Table): void {
  const { title, note, figure } = table;
  const lines = [title, ...aligned(cellsOf(table)), ...(note ? [note] : [])];
  console.log(['', ...lines, ''].map((line) => `      ${line}`.trimEnd()).join('\n'));
  if (!figure) return;
  const file = `test/figures/${figure}.md`;
  if (isQuoted) {
    writeFileSync(file, `${markdownOf(table)}\n`);
  } else {
    checkTitle(readFileSync(file, 'utf8'), title);
  }
}

/** Fails if the title of the quoted table differs from `title` in anything but numbers. */
function checkTitle(quoted: string, title: string): void {
  const withoutNumbers = (text: string) => text.replace(/\d[\d,.]*/g, '#');
  const [first = ''] = quoted.split('\n', 1);
  assert.equal(withoutNumbers(first), withoutNumbers(title));
}

/** Returns the title, the table, and the note in Markdown, separated by blank lines. */
export function markdownOf(table: Table): string {
  const [heads = [], ...rows] = cellsOf(table);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = heads.map((_, column) => (isOfNumbers(rows, column) ? '--:' : '---'));
  const lines = [heads, rule, ...rows].map(line).join('\n');
  return [table.title, lines, ...(table.note ? [table.note] : [])].join('\n\n');
}

function cellsOf({ heads, rows }: Table): string[][] {
  return [heads, ...rows].map((row) => row.map(shown));
}

/** Formats whole numbers with commas, and other numbers with two decimal places. */
function shown(cell: string | number): string {
  if (typeof cell === 'string') return cell;
  return Number.isInteger(cell) ? cell.toLocaleString('en') : cell.toFixed(2);
}

/** Right-aligns columns of numbers, and left-aligns all other columns. */
function aligned(cells: readonly (readonly string[])[]): string[] {
  const [heads = [], ...rows] = cells;
  const columns = heads.map((_, column) => {
    const width = Math.max(...cells.map((row) => row[column]?.length ?? 0));
    const isRight = isOfNumbers(rows, column);
    return (cell: string) => (isRight ? cell.padStart(width) : cell.padEnd(width));
  });
  return cells.map((row) => row.map((cell, column) => columns[column]?.(cell)).join('  '));
}

/**
 * True if `column` isn't the first column, and contains only empty cells and numbers. A number can
 * start with a sign or with `=` or `≤`, and can end with a unit.
 */
function isOfNumbers(rows: readonly (readonly string[])[], column: number): boolean {
  return rows.every((row) => /^$|^(?:[=≤] )?[-+]?\d/.test(row[column] ?? '')) && column > 0;
}
