/** Splits a command line into its program and arguments. Pure. */

/** Matches a word with shell syntax, such as a pipe. Commands run without a shell. */
const SHELL = /^(?:[|&;<>]+|.*[`]|.*\$\()/;

/**
 * Splits a command line at spaces outside quotes, and removes the quotes. A backslash has no
 * special meaning, because Windows paths contain backslashes.
 * @returns undefined if a quote isn't closed or the command needs a shell
 */
export function splitCommand(line: string): readonly string[] | undefined {
  const parts: string[] = [];
  const word = /\s*(?<word>(?:"[^"]*"|'[^']*'|[^\s"'])+)/y;
  const text = line.trim();
  while (word.lastIndex < text.length) {
    const found = word.exec(text)?.groups?.['word'];
    if (found === undefined || SHELL.test(found)) return undefined;
    parts.push(found.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
  }
  return parts;
}
