import { homedir } from 'node:os';
import { join } from 'node:path';
import ignore from 'ignore';
import { FileType, Uri, workspace } from 'vscode';

/** Whether git would take a file into a commit. Reads its rules and its index; starts no program. */

/** What git may do with a file. */
export type GitRisk = 'not-ignored' | 'tracked';

/** Far more than any real rule file has. */
const RULES_LIMIT_BYTES = 1_000_000;
/** Some 80,000 files; of a larger repository it is not told what is tracked. */
const INDEX_LIMIT_BYTES = 8_000_000;
const INDEX_HEADER_LENGTH = 12;
/** Git writes this into a repository where the file system does, as on Windows and macOS. */
const IGNORES_CASE = /^[ \t]*ignorecase[ \t]*=[ \t]*true[ \t]*\r?$/im;
/** The lower bits of the two bytes before a name hold its length, as far as it fits. */
const LENGTH_BITS = 0xfff;

/** Git's own folders for a working folder; undefined for what lies where nothing is read. */
interface Repository {
  readonly own: Uri | undefined;
  /** The one that the rules are in: a further working tree shares those of the first. */
  readonly common: Uri | undefined;
}

export interface IgnoreFile {
  /** Path of the folder that the rules are relative to. */
  readonly folder: string;
  readonly text: string;
}

/** What git may do with a file; undefined for nothing, and for what cannot be told. */
export async function gitRisk(file: Uri): Promise<GitRisk | undefined> {
  // A repository chooses what stands in its files; no warning is worth a failure.
  return riskOf(file).catch(() => undefined);
}

async function riskOf(file: Uri): Promise<GitRisk | undefined> {
  const rules: IgnoreFile[] = [];
  const add = (folder: Uri, text: string) => rules.unshift({ folder: folder.path, text });
  let folder = Uri.joinPath(file, '..');
  for (;;) {
    add(folder, await ownText(Uri.joinPath(folder, '.gitignore')));
    const repository = await repositoryOf(folder);
    if (repository) {
      const { own, common } = repository;
      const index = own && (await bytesOf(Uri.joinPath(own, 'index'), INDEX_LIMIT_BYTES));
      const path = file.path.slice(folder.path.length).replace(/^\//, '');
      if (index && isTracked(index, path)) return 'tracked';
      add(folder, common ? await textOf(Uri.joinPath(common, 'info', 'exclude')) : '');
      add(folder, await textOfUserRules(file));
      const config = common ? await textOf(Uri.joinPath(common, 'config')) : '';
      const place = { root: folder.path, isCaseIgnored: IGNORES_CASE.test(config) };
      return isIgnored(file.path, place, rules) ? undefined : 'not-ignored';
    }
    const parent = Uri.joinPath(folder, '..');
    if (parent.path === folder.path) return undefined;
    folder = parent;
  }
}

/** What of a repository its rules depend on. */
export interface GitRoot {
  /** Its path. */
  readonly root: string;
  readonly isCaseIgnored: boolean;
}

/**
 * Whether git ignores a file, by the rules of several folders.
 * @param rules the weakest first: where two disagree, the later one holds
 */
export function isIgnored(
  path: string,
  { root, isCaseIgnored }: GitRoot,
  rules: readonly IgnoreFile[],
): boolean {
  const matchers = rules.map(({ folder, text }) => ({
    prefix: folder.endsWith('/') ? folder : `${folder}/`,
    matcher: ignore({ ignorecase: isCaseIgnored }).add(text),
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

/**
 * Whether an index names a file. The fourth version shortens names by what they share with the one
 * before, so it is not searched, and the answer is no.
 * @param path relative to the root of the repository
 */
export function isTracked(index: Uint8Array, path: string): boolean {
  const bytes = Buffer.from(index.buffer, index.byteOffset, index.byteLength);
  if (bytes.length < INDEX_HEADER_LENGTH || bytes.toString('latin1', 0, 4) !== 'DIRC') return false;
  if (bytes.readUInt32BE(4) > 3) return false;
  const name = Buffer.from(`${path}\0`);
  const length = Math.min(name.length - 1, LENGTH_BITS);
  for (
    let at = bytes.indexOf(name, INDEX_HEADER_LENGTH);
    at >= 0;
    at = bytes.indexOf(name, at + 1)
  ) {
    // Else it is the end of a longer name.
    if ((bytes.readUInt16BE(at - 2) & LENGTH_BITS) === length) return true;
  }
  return false;
}

/** Git's own folder for a working folder: `.git`, or where a file of that name points to. */
async function repositoryOf(folder: Uri): Promise<Repository | undefined> {
  const git = Uri.joinPath(folder, '.git');
  const type = (await statOf(git))?.type ?? FileType.Unknown;
  if (type & FileType.Directory) return { own: git, common: git };
  const target = /^gitdir: (.+)/.exec(await textOf(git))?.[1]?.trim();
  if (target === undefined) return undefined;
  const own = resolved(folder, target);
  const common = own && (await textOf(Uri.joinPath(own, 'commondir'))).trim();
  return { own, common: own && common ? resolved(own, common) : own };
}

/** @returns undefined for a path on another machine: a repository must not make us ask that one */
function resolved(base: Uri, path: string): Uri | undefined {
  if (/^[A-Za-z]:[\\/]/.test(path)) return base.with({ path: `/${path.replaceAll('\\', '/')}` });
  if (/^[\\/]{2}|^\\|^\/\\/.test(path)) return undefined;
  return path.startsWith('/') ? base.with({ path }) : Uri.joinPath(base, path);
}

/** The rules for all repositories of a user, where git looks unless it is told otherwise. */
async function textOfUserRules({ scheme }: Uri): Promise<string> {
  // The home folder of another machine is not known.
  if (scheme !== 'file') return '';
  const folder = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return textOf(Uri.file(join(folder, 'git', 'ignore')));
}

/** Git follows no link to the rules of a working folder. */
async function ownText(file: Uri): Promise<string> {
  return (await statOf(file))?.type === FileType.File ? textOf(file) : '';
}

/** Empty for a file that is not there or cannot be read: it has no rules. */
async function textOf(file: Uri): Promise<string> {
  return new TextDecoder().decode(await bytesOf(file, RULES_LIMIT_BYTES));
}

/** The content of a file of reasonable size; undefined for anything else, such as a pipe. */
async function bytesOf(file: Uri, limit: number): Promise<Uint8Array | undefined> {
  const stat = await statOf(file);
  if (!stat || !(stat.type & FileType.File) || stat.size > limit) return undefined;
  return workspace.fs.readFile(file).then(undefined, () => undefined);
}

async function statOf(file: Uri) {
  return workspace.fs.stat(file).then(undefined, () => undefined);
}
