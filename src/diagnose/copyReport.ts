import { type Extension, env, version } from 'vscode';
import { readUserSettings, type Settings } from '../config/settings.ts';
import { type Lookup, projectIdsIn } from '../connection/sourceSelection.ts';
import { redact } from '../service/masking.ts';
import type { ServiceRuntime } from '../service/serviceRuntime.ts';
import type { Copied } from './checkMessages.ts';
import type { Report } from './reportText.ts';

/**
 * Copies the report to the clipboard, after checking it for secrets. No other code may copy the
 * report.
 */

/**
 * Minimum length, in characters, of a secret to look for in the whole report. Shorter secrets could
 * match the extension's own text by chance, so only text from outside the extension is searched for
 * them.
 */
const MIN_LENGTH_IN_OWN_TEXT = 16;

/**
 * Copies the report unless it contains a key, token, or project ID, either raw or encoded.
 * @param looked the result of looking up keys and project IDs; undefined if the lookup timed out
 * @param settings the settings that the report describes
 */
export async function copyReport(
  runtime: ServiceRuntime,
  { text, externalText }: Report,
  looked: Lookup | undefined,
  settings: Settings,
): Promise<Copied> {
  const projectIds = projectIdsOf(looked, settings);
  const leaksInto = (part: string, shortest: number) =>
    runtime.leaksInto(part, projectIds, shortest, looked?.found.keys);
  const isKept = leaksInto(text, MIN_LENGTH_IN_OWN_TEXT) || leaksInto(externalText, 0);
  // Text that looks like a secret may be one that the search doesn't cover.
  if (isKept || redact(text) !== text) return 'holds-secret';
  try {
    await env.clipboard.writeText(text);
    return 'done';
  } catch {
    return 'failed';
  }
}

/** Returns the versions of the extension, the editor, and Node, one per line. */
export function versions(extension: Extension<unknown>): string[] {
  const ours: unknown = extension.packageJSON.version;
  const place = env.remoteName ? `remote ${env.remoteName}` : 'local';
  return [
    `Hosted Model ${typeof ours === 'string' ? ours : '(unknown version)'}`,
    `${env.appName} ${version}, ${process.platform} ${process.arch}, ${place}`,
    `Node ${process.versions.node}`,
  ];
}

/**
 * Returns the project IDs in the settings and in all complete sources, even if a source isn't in
 * use. The report must not contain these IDs, because a project ID identifies an account. Without a
 * lookup, the report contains no values from the sources, so only the IDs in the settings are
 * returned.
 */
function projectIdsOf(looked: Lookup | undefined, settings: Settings): string[] {
  const ofSettings = [settings, readUserSettings()].map(({ projectId }) => projectId);
  const all = looked ? [...projectIdsIn(looked.found), ...ofSettings] : ofSettings;
  return all.filter(Boolean);
}
