import { type TextDocument, Uri, type WorkspaceFolder, workspace } from 'vscode';

/** The folder for template files, relative to a workspace folder. */
export const TEMPLATES_PATH = '.hosted-model/templates';

export function templatesFolderOf(folder: WorkspaceFolder): Uri {
  return Uri.joinPath(folder.uri, TEMPLATES_PATH);
}

/** True if the document is a template file in a trusted workspace. */
export function isTemplateFile({ uri }: Pick<TextDocument, 'uri'>): boolean {
  if (!workspace.isTrusted || !uri.path.endsWith('.md')) return false;
  const parent = Uri.joinPath(uri, '..').toString();
  const folders = workspace.workspaceFolders ?? [];
  return folders.some((folder) => templatesFolderOf(folder).toString() === parent);
}
