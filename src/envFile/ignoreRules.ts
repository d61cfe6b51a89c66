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
  const isIgnoredItself = (candidate: string) =>
    matchers.reduce((verdict, { prefix, matcher }) => {
      if (!candidate.startsWith(prefix) || candidate === prefix) return verdict;
      const { ignored, unignored } = matcher.test(candidate.slice(prefix.length));
      return ignored || (verdict && !unignored);
    }, false);
  // What lies in an ignored folder is ignored, whatever later rules say.
  const start = root.endsWith('/') ? root.length : root.length + 1;
  for (let end = path.indexOf('/', start); end >= 0; end = path.indexOf('/', end + 1)) {
    if (isIgnoredItself(path.slice(0, end + 1))) return true;
  }
  return isIgnoredItself(path);
}
