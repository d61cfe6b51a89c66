import { window } from 'vscode';
import type { Choice, Found, SourceId } from './choose.ts';
import { sourceName } from './sourceMessages.ts';
import { actionsFor, isInUse, type SourceAction, stateOf } from './sourceView.ts';

/** @returns what the user wants to do with a source; undefined for nothing */
export async function pickSourceAction(
  source: SourceId,
  found: Found,
  choice: Choice,
): Promise<SourceAction | undefined> {
  const picked = await window.showQuickPick(actionsFor(source, found, choice), {
    title: `Hosted Model: ${sourceName(source, found)}`,
    placeHolder: isInUse(source, choice) ? 'In use' : stateOf(source, found),
  });
  return picked?.action;
}
