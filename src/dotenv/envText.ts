/**
 * The text of a `.env` file: its bytes, lines, and assignments. A custom parser is necessary,
 * because libraries discard lines, spaces, and quotes. Values are neither expanded nor trimmed
 * here.
 */

/** One `NAME=value` of a file or an environment. */
export interface Assignment {
  readonly name: string;
  /** Whitespace between the name and the `=`; may be empty. */
  readonly gap: string;
  /** Everything after the `=`. */
  readonly raw: string;
  /** The start of the name; undefined for the environment. */
  readonly at: { readonly line: number; readonly column: number } | undefined;
}

/** Much larger than any real `.env` file. */
export const ENV_FILE_LIMIT_BYTES = 64 * 1024;

/** The same line endings as in VS Code, so line numbers match. */
export const LINE_END = /\r\n?|\n/;

const ASSIGNMENT = /^(?<before>\s*(?:export\s+)?)(?<name>[^\s=#]+)(?<gap>\s*)=(?<raw>.*)$/s;

/**
 * Decodes the bytes of a file.
 * @returns undefined if it can't be a `.env` file: more than 64 KiB, a NUL character, or not UTF-8
 */
export function decodeEnvFile(bytes: Uint8Array): string | undefined {
  if (bytes.length > ENV_FILE_LIMIT_BYTES || bytes.includes(0)) return undefined;
  return decodeUtf8(bytes);
}

/**
 * Decodes UTF-8, without the byte order mark, as the editor does.
 * @returns undefined if the bytes are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the assignments of a text. Comments and all other lines are skipped. */
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
