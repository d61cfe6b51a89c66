import { FileType, Uri, type WorkspaceFolder, workspace } from 'vscode';
import type { SettingLevel } from '../settings.ts';
import { builtInTemplates } from './builtIn.ts';
import {
  nameKey,
  shownPart,
  type TemplateEntry,
  type TemplateOwner,
  type TemplateScope,
  type TemplateSource,
} from './template.ts';
import { TEMPLATES_PATH, templatesFolderOf } from './templateDocument.ts';
import {
  errorOfAll,
  type IssueDetails,
  NOWHERE,
  ORIGINS,
  TEMPLATE_LIMIT_BYTES,
} from './templateMessages.ts';
import {
  entryOf,
  type FieldContext,
  readFields,
  readTemplateText,
  type TemplateReading,
  unread,
} from './templateText.ts';
import { promptIssues } from './variables.ts';

/** Where templates come from: shipped ones, the setting, and files of the folder. */

const MOST_FILES = 200;
const ENDING = '.md';

/** Those of the setting `hostedModel.templates` that the user wrote. */
export const userTemplates: TemplateSource = {
  owner: 'user',
  readTemplates: async (scope) => entriesOfSetting(scope, 'user'),
};

/** Those that came with a remote machine, a workspace or a folder, the narrowest last. */
export const workspaceTemplates: TemplateSource = {
  owner: 'repository',
  readTemplates: async (scope) => entriesOfSetting(scope, 'remote', 'workspace', 'folder'),
};

function entriesOfSetting(
  { settings: { templates, operation }, insertModes }: TemplateScope,
  ...levels: readonly SettingLevel[]
): TemplateEntry[] {
  const context = { insertModes, operation };
  return levels.flatMap((level) =>
    templates[level].map((item, index) => {
      const written = isObject(item) ? item : {};
      const { name } = written;
      const otherName = (typeof name === 'string' && shownPart(name)) || `#${index + 1}`;
      const place = { otherName, origin: ORIGINS[level], file: undefined };
      return entryOf(readItem(written, context), place);
    }),
  );
}

function readItem(
  { prompt: given, ...rest }: Readonly<Record<string, unknown>>,
  context: FieldContext,
): TemplateReading {
  const prompt = typeof given === 'string' ? given.trim() : '';
  const written = Object.entries(rest);
  const { fields, issues: ofFields } = readFields(
    written.map(([key, value]) => ({ key, value, keySpan: NOWHERE, valueSpan: NOWHERE })),
    context,
  );
  const issues = [...promptIssues(prompt), ...ofFields];
  if (prompt === '') issues.push(errorOfAll({ kind: 'no-prompt' }));
  if (fields.name === undefined) issues.push(errorOfAll({ kind: 'bad-name' }));
  return { fields, prompt: prompt.replaceAll('\r\n', '\n'), issues };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The template files of a trusted folder. A repository chooses what stands there: no link is
 * followed, no device opened, nothing large read; a file that cannot be used says so in the list.
 */
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
  const whole = { otherName: TEMPLATES_PATH, origin: TEMPLATES_PATH, file: undefined };
  const broken = (details: IssueDetails) => entryOf(unread(details), whole);
  const state = await stateOf([Uri.joinPath(templates, '..'), templates]);
  if (state === 'absent') return [];
  if (state !== 'folder') return [broken({ kind: state })];
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
    return [...entries, broken({ kind: 'too-many-files' })];
  } catch {
    return [broken({ kind: 'unreadable' })];
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
  const origin = `${TEMPLATES_PATH}/${shownPart(name)}`;
  const place = { otherName: name.slice(0, -ENDING.length), origin, file };
  const refused = (details: IssueDetails) => entryOf(unread(details), place);
  if ((type & FileType.SymbolicLink) !== 0) return refused({ kind: 'link' });
  if (type !== FileType.File) return refused({ kind: 'not-a-file' });
  try {
    const { size } = await workspace.fs.stat(file);
    if (size > TEMPLATE_LIMIT_BYTES) return refused({ kind: 'too-large' });
    const text = decoded(await workspace.fs.readFile(file));
    if (text === undefined) return refused({ kind: 'not-text' });
    return entryOf(await readTemplateText(text, context), place);
  } catch {
    return refused({ kind: 'unreadable' });
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

/** All of them. A name of a later source hides the same name of an earlier one. */
export const templateSources: readonly TemplateSource[] = [
  builtInTemplates,
  userTemplates,
  workspaceTemplates,
  templateFiles,
];

/**
 * The templates of all sources, each name once, in the order of the sources. One of a repository
 * says whose it hides: a key that the user chose for a template may send it instead.
 */
export async function readTemplates(
  scope: TemplateScope,
  sources: readonly TemplateSource[] = templateSources,
): Promise<readonly TemplateEntry[]> {
  const lists = await Promise.all(
    sources.map(async (source) => ({ ...source, entries: await source.readTemplates(scope) })),
  );
  const byName = new Map<string, TemplateEntry>();
  const owners = new Map<string, Exclude<TemplateOwner, 'repository'>>();
  for (const { owner, entries } of lists) {
    for (const entry of entries) {
      const key = nameKey(entry.name);
      if (owner !== 'repository') owners.set(key, owner);
      const hides = owner === 'repository' ? owners.get(key) : undefined;
      // Taken out first, so that it stands where its own source puts it.
      byName.delete(key);
      byName.set(key, hides ? { ...entry, hides } : entry);
    }
  }
  return [...byName.values()];
}
