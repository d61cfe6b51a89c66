import { window } from 'vscode';
import { sourceName } from './sourceMessages.ts';
import type { SourceId, SourceSelection, SourceSnapshot } from './sourceSelection.ts';
import { actionsFor, isInUse, type SourceAction, stateOf } from './sourceView.ts';

/** @returns what the user wants to do with a source; undefined for nothing */
export async function pickSourceAction(
  source: SourceId,
  found: SourceSnapshot,
  choice: SourceSelection,
): Promise<SourceAction | undefined> {
  const picked = await window.showQuickPick(actionsFor(source, found, choice), {
    title: `Hosted Model: ${sourceName(source, found)}`,
    placeHolder: isInUse(source, choice) ? 'In use' : stateOf(source, found),
  });
  return picked?.action;
}
