/**
 * Parses the text of a `.env` file. Libraries discard line numbers, spaces, and quotes, so this
 * module has its own parser, which neither expands nor trims values.
 */

/** One `NAME=value` pair in a file or the environment. */
export interface Assignment {
  readonly name: string;
  /** Whitespace between the name and the `=`; may be empty. */
  readonly gap: string;
  /** Everything after the `=`. */
  readonly raw: string;
  /** The zero-based position of the name; undefined for the environment. */
  readonly at: { readonly line: number; readonly column: number } | undefined;
}

/** Maximum size of a `.env` file, much larger than any real file. */
export const ENV_FILE_LIMIT_BYTES = 64 * 1024;

/** Matches the line endings that VS Code recognizes, so line numbers match the editor's. */
export const LINE_END = /\r\n?|\n/;

const ASSIGNMENT = /^(?<before>\s*(?:export\s+)?)(?<name>[^\s=#]+)(?<gap>\s*)=(?<raw>.*)$/s;

/**
 * @returns undefined if the file is larger than 64 KiB, contains a NUL character, or isn't UTF-8
 */
export function decodeEnvFile(bytes: Uint8Array): string | undefined {
  if (bytes.length > ENV_FILE_LIMIT_BYTES || bytes.includes(0)) return undefined;
  return decodeUtf8(bytes);
}

/**
 * Decodes UTF-8 and removes the byte order mark, as VS Code does.
 * @returns undefined if the bytes aren't valid UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the assignments in the text. Comments and all other lines are skipped. */
export function assignmentsOf(text: string): Assignment[] {
  return text.split(LINE_END).flatMap((content, line) => {
    const { before = '', name, gap = '', raw = '' } = ASSIGNMENT.exec(content)?.groups ?? {};
    return name === undefined ? [] : { name, gap, raw, at: { line, column: before.length } };
  });
}

/** Returns the environment variables of a process as assignments. */
export function assignmentsIn(
  environment: Readonly<Record<string, string | undefined>>,
): Assignment[] {
  return Object.entries(environment).flatMap(([name, raw]) =>
    raw === undefined ? [] : { name, gap: '', raw, at: undefined },
  );
}
