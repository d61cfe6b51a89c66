/** Prints rows under their heads, numbers to the right; for a person and for the README. */
export function printTable(
  title: string,
  heads: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const cells = [heads, ...rows].map((row) => row.map(String));
  const widths = heads.map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lines = cells.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
  console.log([`      ${title}`, ...lines.map((line) => `      ${line}`)].join('\n'));
}

/** Two digits after the point. */
export const rounded = (number: number): string => number.toFixed(2);
