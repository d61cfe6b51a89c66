/** Splits the text of a command into its program and arguments. Pure. */

/** Characters that only a shell would understand. Commands run without one. */
const SHELL = /^(?:[|&;<>]+|.*[`]|.*\$\()/;

/**
 * Splits a command line at spaces outside quotes. Quotes are removed, and a backslash stays, because
 * Windows paths contain it.
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
