import { type FileSystemError, FileType, Uri, type WorkspaceFolder, workspace } from 'vscode';
import type { SettingLevel, Settings } from '../config/settings.ts';
import { decodeUtf8 } from '../dotenv/envText.ts';
import { builtInTemplates } from './builtIn.ts';
import {
  entryOf,
  type FieldContext,
  failedReading,
  readFields,
  readTemplateText,
  type TemplateReading,
} from './parseTemplate.ts';
import { BUILT_IN, type TemplateEntry } from './template.ts';
import {
  errorOf,
  NO_SPAN,
  ORIGINS,
  TEMPLATE_LIMIT_BYTES,
  type TemplateIssueDetails,
} from './templateMessages.ts';
import { displayName, nameKey } from './templateNames.ts';
import { TEMPLATES_PATH, templatesFolderOf } from './templatePath.ts';
import { promptIssues } from './variables.ts';

/** Collects built-in templates, templates in the settings, and template files. */

const MAX_FILES = 200;
const ENDING = '.md';

interface TemplateScope extends FieldContext, Pick<Settings, 'templates'> {
  /** The workspace folder whose template files apply; null if there is none. */
  readonly folder: WorkspaceFolder | null;
}

/**
 * Reads all templates, in order of increasing precedence. A template overrides earlier templates
 * with the same name. A template from a repository or remote machine is marked if it hides a
 * built-in template or a template in the user settings. Otherwise, the user might not notice that
 * the keybinding for this name now sends a different prompt.
 */
export async function readTemplates(scope: TemplateScope): Promise<readonly TemplateEntry[]> {
  const own = byName([...builtInTemplates, ...templatesOfSetting(scope, 'user')]);
  const ofRepository = [
    ...templatesOfSetting(scope, 'remote'),
    ...templatesOfSetting(scope, 'workspace'),
    ...templatesOfSetting(scope, 'folder'),
    ...(await templatesOfFiles(scope)),
  ].map((entry): TemplateEntry => {
    const hidden = own.get(nameKey(entry.name));
    if (!hidden) return entry;
    return { ...entry, hides: hidden.origin === BUILT_IN ? BUILT_IN : 'user' };
  });
  return [...byName([...own.values(), ...ofRepository]).values()];
}

function byName(entries: readonly TemplateEntry[]): Map<string, TemplateEntry> {
  const found = new Map<string, TemplateEntry>();
  for (const entry of entries) {
    const key = nameKey(entry.name);
    // Delete the hidden template first. Otherwise, the new entry would take over its position.
    found.delete(key);
    found.set(key, entry);
  }
  return found;
}

/** Returns the templates in `hostedModel.templates` at one settings level. */
function templatesOfSetting(scope: TemplateScope, level: SettingLevel): TemplateEntry[] {
  return scope.templates[level].map((item, index) => {
    const written = isObject(item) ? item : {};
    const { name } = written;
    const otherName = (typeof name === 'string' && displayName(name)) || `#${index + 1}`;
    const place = { otherName, origin: ORIGINS[level], file: undefined };
    return entryOf(readItem(written, scope), place);
  });
}

function readItem(
  { prompt: given, ...rest }: Readonly<Record<string, unknown>>,
  context: FieldContext,
): TemplateReading {
  const prompt = typeof given === 'string' ? given.trim() : '';
  const written = Object.entries(rest);
  const { fields, issues: ofFields } = readFields(
    written.map(([key, value]) => ({ key, value, keySpan: NO_SPAN, valueSpan: NO_SPAN })),
    context,
  );
  const issues = [...promptIssues(prompt), ...ofFields];
  if (prompt === '') issues.push(errorOf({ kind: 'no-prompt' }));
  if (fields.name === undefined) issues.push(errorOf({ kind: 'bad-name' }));
  return { fields, prompt: prompt.replaceAll('\r\n', '\n'), issues };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads the folder's template files if the workspace is trusted. The files may come from a
 * repository, so links, devices, and large files aren't opened. Unusable files are returned as
 * broken templates.
 */
async function templatesOfFiles({
  folder,
  ...context
}: TemplateScope): Promise<readonly TemplateEntry[]> {
  if (!folder || !workspace.isTrusted) return [];
  const templates = templatesFolderOf(folder);
  const whole = { otherName: TEMPLATES_PATH, origin: TEMPLATES_PATH, file: undefined };
  const broken = (details: TemplateIssueDetails) => entryOf(failedReading(details), whole);
  const state = await stateOf([Uri.joinPath(templates, '..'), templates]);
  if (state === 'absent') return [];
  if (state !== 'folder') return [broken({ kind: state })];
  try {
    const all = await workspace.fs.readDirectory(templates);
    const found = all
      .filter(([name]) => name.endsWith(ENDING))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const entries = await Promise.all(
      found.slice(0, MAX_FILES).map(async ([name, type]) => {
        const file = Uri.joinPath(templates, name);
        const origin = `${TEMPLATES_PATH}/${displayName(name)}`;
        const reading = await readFile(file, type, context);
        return entryOf(reading, { otherName: name.slice(0, -ENDING.length), origin, file });
      }),
    );
    if (found.length <= MAX_FILES) return entries;
    return [...entries, broken({ kind: 'too-many-files' })];
  } catch {
    return [broken({ kind: 'unreadable' })];
  }
}

/**
 * Returns `folder` if all URIs point to folders that aren't links. Otherwise, returns the problem
 * with the first unusable URI. Links are rejected, because they could point outside the workspace.
 */
async function stateOf(path: readonly Uri[]): Promise<'absent' | 'link' | 'unreadable' | 'folder'> {
  for (const step of path) {
    const stat = await workspace.fs.stat(step).then(undefined, absentOrUnreadable);
    if (typeof stat === 'string') return stat;
    if ((stat.type & FileType.SymbolicLink) !== 0) return 'link';
    if (stat.type !== FileType.Directory) return 'unreadable';
  }
  return 'folder';
}

/**
 * Returns the folder's state, based on an error from `stat`. If permission is denied, the folder is
 * treated as unreadable, because it might exist. After any other error, for example if the file
 * system is unavailable, the folder is treated as absent.
 */
function absentOrUnreadable({ code }: Partial<FileSystemError>): 'absent' | 'unreadable' {
  return code === 'NoPermissions' ? 'unreadable' : 'absent';
}

async function readFile(
  file: Uri,
  type: FileType,
  context: FieldContext,
): Promise<TemplateReading> {
  if ((type & FileType.SymbolicLink) !== 0) return failedReading({ kind: 'link' });
  if (type !== FileType.File) return failedReading({ kind: 'not-a-file' });
  try {
    const { size } = await workspace.fs.stat(file);
    if (size > TEMPLATE_LIMIT_BYTES) return failedReading({ kind: 'too-large' });
    const text = decodeUtf8(await workspace.fs.readFile(file));
    return text === undefined
      ? failedReading({ kind: 'not-text' })
      : await readTemplateText(text, context);
  } catch {
    return failedReading({ kind: 'unreadable' });
  }
}
