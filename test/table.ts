import { writeFileSync } from 'node:fs';

/** What a suite has counted or measured. */
export interface Table {
  /** What it is about, with its main figure. */
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** A sentence below it. */
  readonly note?: string;
  /** Name of its file in test/figures; without one it is only printed. */
  readonly figure?: string;
}

/** Whether docs/quality.md will quote what is printed, as in `npm run figures`. */
export const isQuoted = process.env['HOSTED_MODEL_FIGURES'] === '1';

/** Prints a table. What docs/quality.md will quote is written to its file, too. */
export function printTable(table: Table): void {
  const { title, note, figure } = table;
  const lines = [title, ...aligned(cellsOf(table)), ...(note ? [note] : [])];
  console.log(['', ...lines, ''].map((line) => `      ${line}`.trimEnd()).join('\n'));
  if (figure && isQuoted) {
    writeFileSync(`test/figures/${figure}.md`, `${markdownOf(table)}\n`);
  }
}

/** The title, the table and the note in Markdown, a blank line between them. */
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

/** Whole numbers with commas, others with two digits after the point. */
function shown(cell: string | number): string {
  if (typeof cell === 'string') return cell;
  return Number.isInteger(cell) ? cell.toLocaleString('en') : cell.toFixed(2);
}

/** Columns side by side, those of numbers to the right. */
function aligned(cells: readonly (readonly string[])[]): string[] {
  const [heads = [], ...rows] = cells;
  const columns = heads.map((_, column) => {
    const width = Math.max(...cells.map((row) => row[column]?.length ?? 0));
    const isRight = isOfNumbers(rows, column);
    return (cell: string) => (isRight ? cell.padStart(width) : cell.padEnd(width));
  });
  return cells.map((row) => row.map((cell, column) => columns[column]?.(cell)).join('  '));
}

/** Whether a column holds numbers only, be it with a sign, a relation or a unit. */
function isOfNumbers(rows: readonly (readonly string[])[], column: number): boolean {
  return rows.every((row) => /^$|^(?:[=≤] )?[-+]?\d/.test(row[column] ?? '')) && column > 0;
}
