import { window } from 'vscode';
import type { CredentialAccess } from '../credentials/access.ts';
import { type LookupResult, type LookupTimeout, valuesOf } from '../credentials/sourceSelection.ts';
import type { SettingName } from '../service/credentials.ts';
import { holdsSecret } from '../service/secrets/secretSearch.ts';
import type { Session } from '../service/session.ts';
import { findKeyInSettings, readSettings, type Settings } from '../settings.ts';
import type { SessionHistory } from '../status/sessionHistory.ts';
import type { StatusItem } from '../status/statusItem.ts';
import { copyDiagnostics } from './copyText.ts';
import { diagnosticsText, wordsOfOthers } from './diagnosticsText.ts';
import { versions } from './versions.ts';

/**
 * Characters. Anything shorter can be a word of ours, as in `API_KEY=secret`: it counts only where
 * the word is not ours.
 */
const SHORTEST_IN_OUR_WORDS = 16;

/** A report about a window in which something hangs must come nevertheless. */
const PATIENCE_MS = 2_000;

/** What the report is made of. */
export interface CopyDeps {
  readonly status: StatusItem;
  readonly history: SessionHistory;
  readonly access: () => Promise<CredentialAccess>;
  /** The service, only if it was needed already. */
  readonly openSession: () => Promise<Session | undefined>;
}

/**
 * Puts a report for support on the clipboard, unless a key, a token or a project ID is in it. Sends nothing.
 * @param insertModes ids of all there are
 * @param patienceMs milliseconds to wait for secret storage and the folder
 */
export async function copyDiagnosticsOf(
  deps: CopyDeps,
  insertModes: readonly string[],
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const looked = await (await deps.access()).lookUpWithin(patienceMs);
  const session = await deps.openSession();
  const settings = readSettings(window.activeTextEditor?.document.uri);
  const facts = {
    now: Date.now(),
    versions: versions(),
    settings,
    insertModes,
    looked,
    status: deps.status.facts,
    loads: session?.loads ?? [],
    history: deps.history,
  };
  const known = [...keysIn(looked), ...projectsIn(looked, settings)];
  const leaksInto = (text: string, shortest: number) => {
    const words = known.filter(({ length }) => length >= shortest);
    return session ? session.leaksInto(text, words, shortest) : holdsSecret(text, words);
  };
  await copyDiagnostics(
    diagnosticsText(facts),
    (text) => leaksInto(text, SHORTEST_IN_OUR_WORDS) || leaksInto(wordsOfOthers(facts), 0),
  );
}

/** Every key that is anywhere, whether or not it is in use. */
function keysIn(looked: LookupResult | LookupTimeout): string[] {
  const keys = [
    'found' in looked ? looked.found.record?.apiKey : undefined,
    ...valuesIn(looked).map(({ apiKey }) => apiKey),
    findKeyInSettings()?.text,
  ];
  return keys.filter((key) => key !== undefined);
}

/** They name an account. Those of the settings are there, too, where nobody can use them. */
function projectsIn(looked: LookupResult | LookupTimeout, settings: Settings): string[] {
  const ofSources = valuesIn(looked).map(({ projectId }) => projectId);
  const allSettings = 'found' in looked ? [looked.found.settings, settings] : [settings];
  const ofSettings = allSettings.flatMap((one) => [one.projectId, one.folderProjectId]);
  return [...ofSources, ...ofSettings].filter((id) => id !== '');
}

/** The values of each source outside the editor; none of what did not answer is in the report. */
function valuesIn(looked: LookupResult | LookupTimeout): Readonly<Record<SettingName, string>>[] {
  if (!('found' in looked)) return [];
  return looked.found.outside.flatMap(({ text }) => valuesOf(text) ?? []);
}
