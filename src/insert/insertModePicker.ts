import { window } from 'vscode';
import type { InsertMode } from './insertMode.ts';

/** Asks where the answer shall go this once. */
export async function pickInsertMode(
  modes: readonly InsertMode[],
  usual: string,
): Promise<InsertMode | undefined> {
  const items = modes.map((mode) => ({
    label: mode.label,
    description: mode.id === usual ? `${mode.detail} · as in the settings` : mode.detail,
    mode,
  }));
  const picked = await window.showQuickPick(items, {
    title: 'Generate With…',
    placeHolder: 'Where shall the generated text go?',
    matchOnDescription: true,
  });
  return picked?.mode;
}
