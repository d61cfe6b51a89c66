import { builtInTemplates } from './builtIn.ts';
import { userTemplates, workspaceTemplates } from './settingTemplates.ts';
import {
  nameKey,
  type TemplateEntry,
  type TemplateOwner,
  type TemplateScope,
  type TemplateSource,
} from './template.ts';
import { templateFiles } from './templateFiles.ts';

/** Where templates come from. A name of a later source hides the same name of an earlier one. */
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
