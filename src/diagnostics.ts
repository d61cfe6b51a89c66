import { window } from 'vscode';
import type { App } from './app.ts';
import { type Found, valuesOf } from './credentials/choose.ts';
import { holdsSecret } from './service/secretSearch.ts';
import { findKeyInSettings, readSettings } from './settings.ts';
import { copyDiagnostics } from './ui/copyDiagnostics.ts';
import { diagnosticsText } from './ui/diagnosticsView.ts';
import { versions } from './ui/versions.ts';

/**
 * Puts a report for support on the clipboard, unless a key or a token is in it. Sends nothing.
 * @param insertModes ids of all there are
 */
export async function copyDiagnosticsOf(app: App, insertModes: readonly string[]): Promise<void> {
  const { found, choice } = await (await app.access()).look();
  const session = await app.openSession();
  const text = diagnosticsText({
    now: Date.now(),
    versions: versions(),
    settings: readSettings(window.activeTextEditor?.document.uri),
    insertModes,
    found,
    choice,
    status: app.status.facts,
    loads: session?.loads ?? [],
    recent: app.recent,
  });
  const keys = keysIn(found);
  await copyDiagnostics(text, (report) =>
    session ? session.leaksInto(report, keys) : holdsSecret(report, keys),
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
