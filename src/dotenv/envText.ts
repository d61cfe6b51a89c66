/**
 * The text of a `.env` file: its bytes, its lines, its assignments. The reader is ours since it must
 * know lines, blanks and quotes, which libraries hide. Nothing is expanded or taken off here.
 */

/** One `NAME=value`, of a file or of an environment. */
export interface Assignment {
  readonly name: string;
  /** What stands between the name and the `=`; blanks, or nothing. */
  readonly gap: string;
  /** Everything behind the `=`. */
  readonly raw: string;
  /** Where the name begins; undefined for the environment. */
  readonly at: { readonly line: number; readonly column: number } | undefined;
}

/** Many times what a real file has. */
export const ENV_FILE_LIMIT_BYTES = 64 * 1024;

/** VS Code counts the same line ends. */
export const LINE_END = /\r\n?|\n/;

const ASSIGNMENT = /^(?<before>\s*(?:export\s+)?)(?<name>[^\s=#]+)(?<gap>\s*)=(?<raw>.*)$/s;

/**
 * The text of a file. @returns undefined for what is no `.env` file: more than 64 KiB, a NUL, or
 * bytes that are not UTF-8, as in UTF-16
 */
export function decodeEnvFile(bytes: Uint8Array): string | undefined {
  if (bytes.length > ENV_FILE_LIMIT_BYTES || bytes.includes(0)) return undefined;
  return decodeUtf8(bytes);
}

/** Undefined for what is no UTF-8. A byte order mark is taken off, as the editor does. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Every line that assigns something; comments and whatever else a file holds are passed over. */
export function assignmentsOf(text: string): Assignment[] {
  return text.split(LINE_END).flatMap((content, line) => {
    const { before = '', name, gap = '', raw = '' } = ASSIGNMENT.exec(content)?.groups ?? {};
    return name === undefined ? [] : { name, gap, raw, at: { line, column: before.length } };
  });
}

/** The variables of a process, as if they were lines. */
export function assignmentsIn(
  environment: Readonly<Record<string, string | undefined>>,
): Assignment[] {
  return Object.entries(environment).flatMap(([name, raw]) =>
    raw === undefined ? [] : { name, gap: '', raw, at: undefined },
  );
}
