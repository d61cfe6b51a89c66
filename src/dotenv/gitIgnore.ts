import { homedir } from 'node:os';
import { join } from 'node:path';
import { FileType, Uri, workspace } from 'vscode';
import { isTracked } from './gitIndex.ts';
import { isIgnored, type RuleFile } from './ignoreRules.ts';

/** What git may do with a file. */
export type GitRisk = 'not-ignored' | 'tracked';

/** Whether git would take a file into a commit. Reads its rules and its index; starts no program. */

/** Far more than any real rule file has. */
const RULES_LIMIT_BYTES = 1_000_000;
/** Some 80,000 files; of a larger repository it is not told what is tracked. */
const INDEX_LIMIT_BYTES = 8_000_000;

/** What git's own folder holds; undefined for what lies where nothing is read. */
interface Repository {
  readonly index: Uri | undefined;
  readonly exclude: Uri | undefined;
}

/** What git may do with a file; undefined for nothing, and for what cannot be told. */
export async function gitRisk(file: Uri): Promise<GitRisk | undefined> {
  try {
    return await riskOf(file);
  } catch {
    // A repository chooses what stands in its files; no warning is worth a failure.
    return undefined;
  }
}

async function riskOf(file: Uri): Promise<GitRisk | undefined> {
  const rules: RuleFile[] = [];
  const add = (folder: Uri, text: string | undefined) => {
    if (text !== undefined) rules.unshift({ folder: folder.path, text });
  };
  let folder = Uri.joinPath(file, '..');
  for (;;) {
    add(folder, await ownText(Uri.joinPath(folder, '.gitignore')));
    const repository = await repositoryOf(folder);
    if (repository) {
      const index = repository.index && (await bytesOf(repository.index, INDEX_LIMIT_BYTES));
      const path = file.path.slice(folder.path.length).replace(/^\//, '');
      if (index && isTracked(index, path)) return 'tracked';
      add(folder, repository.exclude && (await textOf(repository.exclude)));
      add(folder, await textOfUserRules(file));
      return isIgnored(file.path, folder.path, rules) ? undefined : 'not-ignored';
    }
    const parent = Uri.joinPath(folder, '..');
    if (parent.path === folder.path) return undefined;
    folder = parent;
  }
}

/** Git's own folder for a working folder: `.git`, or where a file of that name points to. */
async function repositoryOf(folder: Uri): Promise<Repository | undefined> {
  const git = Uri.joinPath(folder, '.git');
  const type = (await statOf(git))?.type ?? FileType.Unknown;
  if (type & FileType.Directory) return filesOf(git, git);
  const target = /^gitdir: (.+)/.exec((await textOf(git)) ?? '')?.[1]?.trim();
  if (target === undefined) return undefined;
  const own = resolved(folder, target);
  // A further working tree of a repository shares the rules of the first, and has its own index.
  const common = own && (await textOf(Uri.joinPath(own, 'commondir')))?.trim();
  return filesOf(own, own && common ? resolved(own, common) : own);
}

function filesOf(own: Uri | undefined, common: Uri | undefined): Repository {
  return {
    index: own && Uri.joinPath(own, 'index'),
    exclude: common && Uri.joinPath(common, 'info', 'exclude'),
  };
}

/** @returns undefined for a path on another machine: a repository must not make us ask that one */
function resolved(base: Uri, path: string): Uri | undefined {
  if (/^[A-Za-z]:[\\/]/.test(path)) return base.with({ path: `/${path.replaceAll('\\', '/')}` });
  if (/^[\\/]{2}|^\\|^\/\\/.test(path)) return undefined;
  return path.startsWith('/') ? base.with({ path }) : Uri.joinPath(base, path);
}

/** The rules for all repositories of a user, where git looks unless it is told otherwise. */
async function textOfUserRules({ scheme }: Uri): Promise<string | undefined> {
  // The home folder of another machine is not known.
  if (scheme !== 'file') return undefined;
  const folder = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return textOf(Uri.file(join(folder, 'git', 'ignore')));
}

/** Git follows no link to the rules of a working folder. */
async function ownText(file: Uri): Promise<string | undefined> {
  return (await statOf(file))?.type === FileType.File ? textOf(file) : undefined;
}

async function textOf(file: Uri): Promise<string | undefined> {
  const bytes = await bytesOf(file, RULES_LIMIT_BYTES);
  return bytes && new TextDecoder().decode(bytes);
}

/** The content of a file of reasonable size; undefined for anything else, such as a pipe. */
async function bytesOf(file: Uri, limit: number): Promise<Uint8Array | undefined> {
  const stat = await statOf(file);
  if (!stat || !(stat.type & FileType.File) || stat.size > limit) return undefined;
  try {
    return await workspace.fs.readFile(file);
  } catch {
    return undefined;
  }
}

async function statOf(file: Uri) {
  try {
    return await workspace.fs.stat(file);
  } catch {
    return undefined;
  }
}
