import { window } from 'vscode';
import type { App } from './app.ts';
import { type Found, valuesOf } from './credentials/choose.ts';
import { holdsSecret } from './service/secretSearch.ts';
import { findKeyInSettings, readSettings, type Settings } from './settings.ts';
import { copyDiagnostics } from './ui/copyDiagnostics.ts';
import { diagnosticsText } from './ui/diagnosticsView.ts';
import { versions } from './ui/versions.ts';

/**
 * Puts a report for support on the clipboard, unless a key, a token or a project ID is in it. Sends nothing.
 * @param insertModes ids of all there are
 */
export async function copyDiagnosticsOf(app: App, insertModes: readonly string[]): Promise<void> {
  const { found, choice } = await (await app.access()).look();
  const session = await app.openSession();
  const settings = readSettings(window.activeTextEditor?.document.uri);
  const text = diagnosticsText({
    now: Date.now(),
    versions: versions(),
    settings,
    insertModes,
    found,
    choice,
    status: app.status.facts,
    loads: session?.loads ?? [],
    recent: app.recent,
  });
  const known = [...keysIn(found), ...projectsIn(found, settings)];
  await copyDiagnostics(text, (report) =>
    session ? session.leaksInto(report, known) : holdsSecret(report, known),
  );
}

/** Every key that is anywhere, whether or not it is in use. */
function keysIn({ record, outside }: Found): string[] {
  const keys = [
    record?.apiKey,
    ...outside.map(({ text }) => valuesOf(text)?.apiKey),
    findKeyInSettings()?.text,
  ];
  return keys.filter((key) => key !== undefined);
}

/** They name an account. Those of the settings are there, too, where nobody can use them. */
function projectsIn(found: Found, settings: Settings): string[] {
  const ofSources = found.outside.map(({ text }) => valuesOf(text)?.projectId ?? '');
  const ofSettings = [found.settings, settings].flatMap((one) => [
    one.projectId,
    one.folderProjectId,
  ]);
  return [...ofSources, ...ofSettings].filter((id) => id !== '');
}
