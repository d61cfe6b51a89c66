import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FileType, type TextDocument, Uri, workspace } from 'vscode';

/**
 * Files that a shell, an editor, git, a package manager, or CI runs automatically. Generated text
 * is written to them only after a preview (T25 of docs/threat-model.md). Scripts and Makefiles that
 * users start themselves aren't in this list. The patterns match lowercase paths. A folder includes
 * all files in it.
 */
const RUN_ON_THEIR_OWN: Readonly<Record<string, readonly RegExp[]>> = {
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
    // User and machine settings. In a browser, user settings are files on the server (measured).
    /\/(?:user|machine)\/(?:profiles\/[^/]+\/)?(?:(?:settings|keybindings|tasks|mcp)\.json|(?:snippets|prompts)\/[^/]+)$/,
    /\/\.(?:g?vimrc|exrc|nvimrc|nvim\.lua|emacs|dir-locals\.el)$/,
  ],
  git: [
    // In a worktree, `.git` is a file.
    /\/\.git(?:\/|$)/,
    /\/\.(?:husky|githooks|git-hooks)\//,
    /\/(?:\.gitconfig|\.config\/git\/config)$/,
    // Hooks are matched by name, since core.hooksPath can be any folder.
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

/** True if something runs this file automatically, judged by its path only. */
export function isConfigFile({ uri }: Pick<TextDocument, 'uri'>): boolean {
  return isConfigPath(uri.path);
}

/**
 * True if the file runs automatically, or if its path contains a link to one that does. A
 * repository can contain links. Also true if the target of a link is unknown.
 */
export async function leadsToConfigFile({ uri }: Pick<TextDocument, 'uri'>): Promise<boolean> {
  if (isConfigFile({ uri })) return true;
  // Notebook cells and documents without a path never run automatically.
  if (uri.scheme === 'vscode-notebook-cell' || !uri.path.startsWith('/')) return false;
  const isLocal = uri.scheme === 'file' || (uri.scheme === 'untitled' && uri.authority === '');
  try {
    return isLocal ? isConfigPath(await realPathOf(uri.fsPath)) : await hasLink(uri);
  } catch {
    return true;
  }
}

/** @param path file path or URI path; a bare name for a document that was never saved */
function isConfigPath(path: string): boolean {
  const plain = `/${path.replaceAll('\\', '/').toLowerCase()}`;
  return Object.values(RUN_ON_THEIR_OWN).some((patterns) =>
    patterns.some((pattern) => pattern.test(plain)),
  );
}

/**
 * Resolves the links in a path. If the file doesn't exist yet, its folder is resolved.
 * @throws if the path can't be resolved, for example because of a link to a missing file
 */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((await exists(path)) || dirname(path) === path) throw error;
    return join(await realPathOf(dirname(path)), basename(path));
  }
}

/** True if the path exists or can't be checked. A link to a missing file counts as existing. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

/**
 * True if any part of the path is a link. For remote files, VS Code reports links but not their
 * targets.
 */
async function hasLink(uri: Uri): Promise<boolean> {
  const { type } = await workspace.fs.stat(uri);
  if ((type & FileType.SymbolicLink) !== 0) return true;
  const folder = Uri.joinPath(uri, '..');
  return folder.path !== '/' && folder.path !== uri.path && hasLink(folder);
}
