/** Splits the text of a command into its program and arguments. Pure. */

/** Matches characters that have a special meaning in a shell. Commands run without a shell. */
const SHELL = /^(?:[|&;<>]+|.*[`]|.*\$\()/;

/**
 * Splits a command line at spaces outside quotes. Removes the quotes. Keeps backslashes, because
 * Windows paths contain them.
 * @returns undefined if a quote isn't closed or a shell would be needed
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
