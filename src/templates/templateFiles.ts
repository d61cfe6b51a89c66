import { FileType, Uri, type WorkspaceFolder, workspace } from 'vscode';
import type { FieldContext } from './fields.ts';
import { errorOfAll, type TemplateFlaw } from './flaws.ts';
import type { FlawedTemplate, TemplateEntry, TemplateSource } from './template.ts';
import { TEMPLATES_PATH, templatesFolderOf } from './templateDocument.ts';
import { shownPart } from './templateName.ts';
import { entryOf, readTemplateText, TEMPLATE_LIMIT_BYTES } from './templateText.ts';

/**
 * The template files of a trusted folder. A repository chooses what stands there: no link is
 * followed, no device opened, nothing large read; a file that cannot be used says so in the list.
 */

const MOST_FILES = 200;
const ENDING = '.md';

export const templateFiles: TemplateSource = {
  owner: 'repository',
  readTemplates: async ({ folder, insertModes, settings: { operation } }) =>
    folder && workspace.isTrusted ? readAll(folder, { insertModes, operation }) : [],
};

async function readAll(
  folder: WorkspaceFolder,
  context: FieldContext,
): Promise<readonly TemplateEntry[]> {
  const templates = templatesFolderOf(folder);
  const whole = { name: TEMPLATES_PATH, origin: TEMPLATES_PATH, file: undefined };
  const state = await stateOf([Uri.joinPath(templates, '..'), templates]);
  if (state === 'absent') return [];
  if (state !== 'folder') return [flawed(whole, { kind: state })];
  try {
    const all = await workspace.fs.readDirectory(templates);
    const found = all
      .filter(([name]) => name.endsWith(ENDING))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const entries = await Promise.all(
      found
        .slice(0, MOST_FILES)
        .map(([name, type]) => readOne(Uri.joinPath(templates, name), name, type, context)),
    );
    if (found.length <= MOST_FILES) return entries;
    return [...entries, flawed(whole, { kind: 'too-many-files' })];
  } catch {
    return [flawed(whole, { kind: 'unreadable' })];
  }
}

/** Whether every step of a way is a folder of its own, and not a link to elsewhere. */
async function stateOf(way: readonly Uri[]): Promise<'absent' | 'link' | 'unreadable' | 'folder'> {
  for (const step of way) {
    try {
      const { type } = await workspace.fs.stat(step);
      if ((type & FileType.SymbolicLink) !== 0) return 'link';
      if (type !== FileType.Directory) return 'unreadable';
    } catch {
      return 'absent';
    }
  }
  return 'folder';
}

async function readOne(
  file: Uri,
  name: string,
  type: FileType,
  context: FieldContext,
): Promise<TemplateEntry> {
  const fileName = name.slice(0, -ENDING.length);
  const origin = `${TEMPLATES_PATH}/${shownPart(name)}`;
  const refused = (kind: 'too-large' | 'not-text' | 'not-a-file' | 'link' | 'unreadable') =>
    flawed({ name: shownPart(fileName), origin, file }, { kind });
  if ((type & FileType.SymbolicLink) !== 0) return refused('link');
  if (type !== FileType.File) return refused('not-a-file');
  try {
    const { size } = await workspace.fs.stat(file);
    if (size > TEMPLATE_LIMIT_BYTES) return refused('too-large');
    const text = decoded(await workspace.fs.readFile(file));
    if (text === undefined) return refused('not-text');
    const reading = await readTemplateText(text, context);
    return entryOf(reading, { fileName, origin, file });
  } catch {
    return refused('unreadable');
  }
}

/** Undefined for what is no UTF-8. A byte order mark is taken off, as the editor does. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function flawed(entry: Omit<FlawedTemplate, 'problems'>, flaw: TemplateFlaw): FlawedTemplate {
  return { ...entry, problems: [errorOfAll(flaw)] };
}
