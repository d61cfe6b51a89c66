import ignore from 'ignore';

/** Whether git ignores a file, by the rules of several folders. Pure. */

export interface RuleFile {
  /** Path of the folder that the rules are relative to. */
  readonly folder: string;
  readonly text: string;
}

/**
 * @param root path of the repository
 * @param rules the weakest first: where two disagree, the later one holds
 */
export function isIgnored(path: string, root: string, rules: readonly RuleFile[]): boolean {
  const matchers = rules.map(({ folder, text }) => ({
    prefix: folder.endsWith('/') ? folder : `${folder}/`,
    matcher: ignore({ ignorecase: false }).add(text),
  }));
  const relevant = (candidate: string) =>
    matchers.filter(({ prefix }) => candidate.startsWith(prefix) && candidate !== prefix);
  const isIgnoredItself = (candidate: string) =>
    relevant(candidate).reduce((verdict, { prefix, matcher }) => {
      const { ignored, unignored } = matcher.test(candidate.slice(prefix.length));
      return ignored || (verdict && !unignored);
    }, false);
  // From the root down: what lies in an ignored folder is ignored, whatever later rules say.
  const start = root.endsWith('/') ? root.length : root.length + 1;
  for (let end = path.indexOf('/', start); end >= 0; end = path.indexOf('/', end + 1)) {
    const folder = path.slice(0, end + 1);
    if (isIgnoredItself(folder)) return true;
    // A stronger rule took the folder back: to a weaker one it must not count as ignored, either.
    for (const { prefix, matcher } of relevant(folder)) {
      matcher.add([`!/${literal(folder.slice(prefix.length))}`]);
    }
  }
  return isIgnoredItself(path);
}

/** The pattern of exactly this path. */
function literal(path: string): string {
  return path.replace(/[\\*?[\] ]/g, '\\$&');
}
