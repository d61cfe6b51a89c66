import { FileType, Uri, type WorkspaceFolder, workspace } from 'vscode';
import type { SettingLevel } from '../settings.ts';
import { builtInTemplates } from './builtIn.ts';
import {
  type BrokenTemplate,
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
  TEMPLATE_LIMIT_BYTES,
  type TemplateIssue,
} from './templateIssues.ts';
import { entryOf, type FieldContext, readFields, readTemplateText } from './templateText.ts';
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

const ORIGINS: Readonly<Record<SettingLevel, string>> = {
  user: 'settings',
  remote: 'settings of the remote machine',
  workspace: 'settings of this workspace',
  folder: 'settings of this folder',
};

function entriesOfSetting(
  { settings: { templates, operation }, insertModes }: TemplateScope,
  ...levels: readonly SettingLevel[]
): TemplateEntry[] {
  const context = { insertModes, operation };
  return levels.flatMap((level) =>
    templates[level].map((item, index) =>
      entryOfItem(item, { position: index + 1, origin: ORIGINS[level] }, context),
    ),
  );
}

/** @param place its position counts from 1, for one that has no name */
function entryOfItem(
  item: unknown,
  { position, origin }: { readonly position: number; readonly origin: string },
  context: FieldContext,
): TemplateEntry {
  const { prompt: given, ...rest } = isObject(item) ? item : {};
  const prompt = typeof given === 'string' ? given.trim() : '';
  const entries = Object.entries(rest).map(([key, value]) => ({
    key,
    value,
    keySpan: NOWHERE,
    valueSpan: NOWHERE,
  }));
  const { fields, issues: ofFields } = readFields(entries, context);
  // The settings editor underlines what is only a warning: a key that is not known.
  const issues = [...promptIssues(prompt), ...ofFields.filter(({ isError }) => isError)];
  if (prompt === '') issues.push(errorOfAll({ kind: 'no-prompt' }));
  if (fields.name === undefined && !issues.some(isAboutName)) {
    issues.push(errorOfAll({ kind: 'bad-name' }));
  }
  const { name = nameOfBroken(rest['name'], position) } = fields;
  const [first, ...others] = issues;
  if (first) return { name, origin, issues: [first, ...others], file: undefined };
  return { ...fields, name, prompt: prompt.replaceAll('\r\n', '\n'), origin };
}

function isAboutName(issue: TemplateIssue): boolean {
  return issue.kind === 'bad-name' || (issue.kind === 'wrong-type' && issue.name === 'name');
}

function nameOfBroken(name: unknown, position: number): string {
  return (typeof name === 'string' && shownPart(name)) || `#${position}`;
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
  const whole = { name: TEMPLATES_PATH, origin: TEMPLATES_PATH, file: undefined };
  const state = await stateOf([Uri.joinPath(templates, '..'), templates]);
  if (state === 'absent') return [];
  if (state !== 'folder') return [broken(whole, { kind: state })];
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
    return [...entries, broken(whole, { kind: 'too-many-files' })];
  } catch {
    return [broken(whole, { kind: 'unreadable' })];
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
    broken({ name: shownPart(fileName), origin, file }, { kind });
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

function broken(entry: Omit<BrokenTemplate, 'issues'>, details: IssueDetails): BrokenTemplate {
  return { ...entry, issues: [errorOfAll(details)] };
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
