import type { SettingLevel } from '../settings.ts';
import { type FieldContext, type Fields, readField } from './fields.ts';
import { errorOfAll, type TemplateFlaw, type TemplateProblem } from './flaws.ts';
import type { TemplateEntry, TemplateScope, TemplateSource } from './template.ts';
import { shownPart } from './templateName.ts';
import { promptProblems } from './variables.ts';

/** The templates of the setting `hostedModel.templates`. */

/** Those that the user wrote. */
export const userTemplates: TemplateSource = {
  owner: 'user',
  readTemplates: async (scope) => entriesOf(scope, 'user'),
};

/** Those that came with a remote machine, a workspace or a folder, the narrowest last. */
export const workspaceTemplates: TemplateSource = {
  owner: 'repository',
  readTemplates: async (scope) => entriesOf(scope, 'remote', 'workspace', 'folder'),
};

const ORIGINS: Readonly<Record<SettingLevel, string>> = {
  user: 'settings',
  remote: 'settings of the remote machine',
  workspace: 'settings of this workspace',
  folder: 'settings of this folder',
};

function entriesOf(
  { settings: { templates, operation }, insertModes }: TemplateScope,
  ...levels: readonly SettingLevel[]
): TemplateEntry[] {
  const context = { insertModes, operation };
  return levels.flatMap((level) =>
    templates[level].map((item, index) =>
      entryOf(item, { position: index + 1, origin: ORIGINS[level] }, context),
    ),
  );
}

/** @param place its position counts from 1, for one that has no name */
function entryOf(
  item: unknown,
  { position, origin }: { readonly position: number; readonly origin: string },
  context: FieldContext,
): TemplateEntry {
  const { prompt: given, ...rest } = isObject(item) ? item : {};
  const prompt = typeof given === 'string' ? given.trim() : '';
  const problems: TemplateProblem[] = promptProblems(prompt);
  const refuse = (flaw: TemplateFlaw) => problems.push(errorOfAll(flaw));
  let fields: Fields = {};
  for (const [key, value] of Object.entries(rest)) {
    const field = readField(key, value, context);
    if (!('kind' in field)) fields = { ...fields, ...field };
    // The settings editor underlines a key that is not known; the template works without it.
    else if (field.kind !== 'unknown-key') refuse(field);
  }
  if (prompt === '') refuse({ kind: 'no-prompt' });
  if (fields.name === undefined && !problems.some(({ flaw }) => isAboutName(flaw))) {
    refuse({ kind: 'bad-name' });
  }
  const { name = nameOfFlawed(rest['name'], position) } = fields;
  const [first, ...others] = problems;
  if (first) return { name, origin, problems: [first, ...others], file: undefined };
  return { ...fields, name, prompt: prompt.replaceAll('\r\n', '\n'), origin };
}

function isAboutName(flaw: TemplateFlaw): boolean {
  return flaw.kind === 'bad-name' || (flaw.kind === 'wrong-type' && flaw.name === 'name');
}

function nameOfFlawed(name: unknown, position: number): string {
  return (typeof name === 'string' && shownPart(name)) || `#${position}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
