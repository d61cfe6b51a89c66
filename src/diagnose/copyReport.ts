import { type Extension, env, version } from 'vscode';
import { readUserSettings, type Settings } from '../config/settings.ts';
import type { Lookup } from '../connection/sourceSelection.ts';
import { redact } from '../service/secrets.ts';
import type { ServiceRuntime } from '../service/serviceRuntime.ts';
import type { Copied } from './checkMessages.ts';
import type { Report } from './reportText.ts';

/** Puts the report for support on the clipboard: the one place that does, and the one rule for it. */

/**
 * Characters. Anything shorter can be a word of ours, as in `API_KEY=secret`: it counts only where
 * the word is not ours.
 */
const SHORTEST_IN_OUR_WORDS = 16;

/**
 * Copies the report unless it contains a key, token, or project ID in any encoding.
 * @param looked where keys and project IDs were found; undefined if nothing answered
 * @param settings that the report is about
 */
export async function copyReport(
  runtime: ServiceRuntime,
  { text, wordsOfOthers }: Report,
  looked: Lookup | undefined,
  settings: Settings,
): Promise<Copied> {
  const known = secretsIn(runtime, looked, settings);
  const leaksInto = (part: string, shortest: number) => {
    const words = known.filter(({ length }) => length >= shortest);
    return runtime.leaksInto(part, words, shortest);
  };
  const isKept = leaksInto(text, SHORTEST_IN_OUR_WORDS) || leaksInto(wordsOfOthers, 0);
  // What only looks like one of them may be that of somebody else.
  if (isKept || redact(text) !== text) return 'holds-secret';
  try {
    await env.clipboard.writeText(text);
    return 'done';
  } catch {
    return 'failed';
  }
}

/** What runs, a line each. */
export function versions(extension: Extension<unknown>): string[] {
  const ours: unknown = extension.packageJSON.version;
  const place = env.remoteName ? `remote ${env.remoteName}` : 'local';
  return [
    `Hosted Model ${typeof ours === 'string' ? ours : 'of an unknown version'}`,
    `${env.appName} ${version}, ${process.platform} ${process.arch}, ${place}`,
    `Node ${process.versions.node}`,
  ];
}

/**
 * Every key, header value, and project ID that is anywhere, whether or not it is in use: a project
 * names an account. Of what did not answer none is in the report.
 */
function secretsIn(
  runtime: ServiceRuntime,
  looked: Lookup | undefined,
  settings: Settings,
): string[] {
  const found = looked?.found;
  const outside = found?.outside.map(({ values }) => values) ?? [];
  const secrets = [
    ...runtime.secretsOfKeys(found?.keys ?? []),
    ...outside.map((values) => values?.projectId),
    ...[found?.settings, settings, readUserSettings()].map((one) => one?.projectId),
  ];
  return secrets.flatMap((secret) => secret || []);
}
