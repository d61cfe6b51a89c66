import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FileType, type TextDocument, Uri, workspace } from 'vscode';

/**
 * Path patterns for files that shells, editors, git, package managers, or CI run automatically.
 * Generated text goes into these files only after a preview (T25 in docs/threat-model.md). Scripts
 * and Makefiles that users run themselves aren't listed. The patterns expect lowercase paths. A
 * pattern that ends with a slash matches every file in the folder and its subfolders.
 */
const AUTO_RUN_PATTERNS: Readonly<Record<string, readonly RegExp[]>> = {
  shell: [
    /\/\.env[^/]*$/,
    /\/\.(?:bash(?:rc|_profile|_login|_logout|_aliases)|profile|login|logout|xonshrc)$/,
    /\/\.(?:z(?:shrc|shenv|profile|login|logout)|[ckmt]*shrc)$/,
    /\/fish\/(?:config\.fish$|conf\.d\/|functions\/)/,
    /\/nushell\/(?:config|env|login)\.nu$/,
    /[/_.]profile\.ps1$/,
    /^\/+etc\/(?:profile|bash|zsh|csh)/,
  ],
  editor: [
    /\/\.(?:vscode(?:-(?:server|remote)[^/]*)?|devcontainer|cursor|claude|idea|zed|vim|emacs\.d|config\/nvim)\//,
    /\/\.(?:devcontainer|mcp)\.json$/,
    /\.code-workspace$/,
    // User and machine settings. VS Code in a browser stores user settings as files on the server
    // (confirmed by testing).
    /\/(?:user|machine)\/(?:profiles\/[^/]+\/)?(?:(?:settings|keybindings|tasks|mcp)\.json|(?:snippets|prompts)\/[^/]+)$/,
    /\/\.(?:g?vimrc|exrc|nvimrc|nvim\.lua|emacs|dir-locals\.el)$/,
  ],
  git: [
    // In a linked worktree, `.git` is a file.
    /\/\.git(?:\/|$)/,
    /\/\.(?:husky|githooks|git-hooks)\//,
    /\/(?:\.gitconfig|\.config\/git\/config)$/,
    // Matches hooks by name, because git's `core.hooksPath` setting can point to any folder.
    /\/(?:pre|post)-(?:applypatch|auto-gc|checkout|commit|index-change|merge|merge-commit|push|rebase|receive|rewrite|update)$/,
    /\/(?:(?:applypatch|commit|prepare-commit)-msg|fsmonitor-watchman|push-to-checkout|reference-transaction|sendemail-validate)$/,
    /\/(?:\.pre-commit-config\.ya?ml|\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.lintstagedrc[^/]*|lint-staged\.config\.\w+)$/,
  ],
  packageManager: [
    /\/(?:package\.json|\.npmrc|\.pnpmfile\.[cm]?js|pnpm-workspace\.yaml|\.yarnrc(?:\.yml)?|bunfig\.toml)$/,
    /\/\.yarn\//,
    /\/(?:composer\.json|setup\.py|pyproject\.toml|gemfile|[^/]+\.gemspec|podfile)$/,
    /\/(?:build\.rs|\.cargo\/config(?:\.toml)?)$/,
  ],
  ci: [
    /\/\.(?:github|gitea|forgejo)\/(?:workflows|actions|hooks)\//,
    /\/\.(?:circleci|buildkite|woodpecker)\//,
    /\/(?:\.(?:gitlab-ci|travis|drone|woodpecker|cirrus|appveyor)|appveyor|azure-pipelines|bitbucket-pipelines|buildspec|cloudbuild)\.ya?ml$/,
    /\/jenkinsfile$/,
  ],
};

/** True if the file's path matches one of the patterns above. Symbolic links aren't followed. */
export function isAutoRunFile({ uri }: Pick<TextDocument, 'uri'>): boolean {
  return isAutoRunPath(uri.path);
}

/**
 * True if the file runs automatically, or if a symbolic link in its path leads to a file that does.
 * Also true if the links can't be resolved, which is always the case for links in a remote file's
 * path. Repositories can contain symbolic links, so checking the path alone isn't enough.
 */
export async function resolvesToAutoRunFile({ uri }: Pick<TextDocument, 'uri'>): Promise<boolean> {
  if (isAutoRunFile({ uri })) return true;
  // Notebook cells never run automatically. A document without an absolute path has no links to
  // follow.
  if (uri.scheme === 'vscode-notebook-cell' || !uri.path.startsWith('/')) return false;
  const isLocal = uri.scheme === 'file' || (uri.scheme === 'untitled' && uri.authority === '');
  try {
    return isLocal ? isAutoRunPath(await realPathOf(uri.fsPath)) : await hasLink(uri);
  } catch {
    return true;
  }
}

/** @param path a file path, a URI path, or the name of a document that has never been saved */
function isAutoRunPath(path: string): boolean {
  const plain = `/${path.replaceAll('\\', '/').toLowerCase()}`;
  return Object.values(AUTO_RUN_PATTERNS).some((patterns) =>
    patterns.some((pattern) => pattern.test(plain)),
  );
}

/**
 * Resolves the symbolic links in a path. If the file doesn't exist yet, resolves the links in its
 * folder's path.
 * @throws if the path can't be resolved, for example because a link points to a missing file
 */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((await exists(path)) || dirname(path) === path) throw error;
    return join(await realPathOf(dirname(path)), basename(path));
  }
}

/** True if the path exists or can't be checked. A broken link counts as existing. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

/**
 * True if the file or any of its parent folders is a symbolic link. Used for remote files, because
 * VS Code reports whether a remote path is a link, but not where the link points.
 */
async function hasLink(uri: Uri): Promise<boolean> {
  const { type } = await workspace.fs.stat(uri);
  if ((type & FileType.SymbolicLink) !== 0) return true;
  const folder = Uri.joinPath(uri, '..');
  return folder.path !== '/' && folder.path !== uri.path && hasLink(folder);
}
