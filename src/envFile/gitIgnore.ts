import { FileType, Uri, workspace } from 'vscode';
import { isIgnored, type RuleFile } from './ignoreRules.ts';

/** Whether git would take a file into a commit. Reads its rule files; starts no program. */

/** Far more than any real rule file has. */
const LIMIT_BYTES = 1_000_000;

/** Whether a file lies in a git repository that does not ignore it. */
export async function isExposed(file: Uri): Promise<boolean> {
  const rules: RuleFile[] = [];
  const add = (folder: Uri, text: string | undefined) => {
    if (text !== undefined) rules.unshift({ folder: folder.path, text });
  };
  let folder = Uri.joinPath(file, '..');
  for (;;) {
    add(folder, await textOf(Uri.joinPath(folder, '.gitignore')));
    const repository = await repositoryOf(folder);
    if (repository) {
      add(folder, await textOf(Uri.joinPath(repository, 'info', 'exclude')));
      return !isIgnored(file.path, folder.path, rules);
    }
    const parent = Uri.joinPath(folder, '..');
    if (parent.path === folder.path) return false;
    folder = parent;
  }
}

/** Git's own folder for a working folder: `.git`, or where a file of that name points to. */
async function repositoryOf(folder: Uri): Promise<Uri | undefined> {
  const git = Uri.joinPath(folder, '.git');
  const type = (await statOf(git))?.type ?? FileType.Unknown;
  if (type & FileType.Directory) return git;
  const target = /^gitdir: (.+)/.exec((await textOf(git)) ?? '')?.[1]?.trim();
  if (target === undefined) return undefined;
  const own = resolved(folder, target);
  // A further working tree of a repository shares the rules of the first.
  const common = (await textOf(Uri.joinPath(own, 'commondir')))?.trim();
  return common ? resolved(own, common) : own;
}

function resolved(base: Uri, path: string): Uri {
  if (/^[A-Za-z]:[\\/]/.test(path)) return base.with({ path: `/${path.replaceAll('\\', '/')}` });
  return path.startsWith('/') ? base.with({ path }) : Uri.joinPath(base, path);
}

/** The text of a file of reasonable size; undefined for anything else, such as a pipe. */
async function textOf(file: Uri): Promise<string | undefined> {
  const stat = await statOf(file);
  if (!stat || !(stat.type & FileType.File) || stat.size > LIMIT_BYTES) return undefined;
  try {
    return new TextDecoder().decode(await workspace.fs.readFile(file));
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
