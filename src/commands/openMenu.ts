import { commands, window } from 'vscode';
import type { CallerDecisions, CallerRow } from '../chat/callerDecisions.ts';
import { targetForFolder } from '../config/configuration.ts';
import { openEnvFile } from '../connection/connectionDialogs.ts';
import { targetText } from '../connection/connectionMessages.ts';
import { readyConnection } from '../connection/createConnection.ts';
import { activeFolder } from '../connection/folders.ts';
import { type Lookup, needsApproval } from '../connection/sourceSelection.ts';
import type { SourceSnapshot } from '../connection/sourceTypes.ts';
import { sourceChoices, sourceMenu, sourceRows } from '../connection/sourceView.ts';
import { ACTION_LABELS } from '../messages/actions.ts';
import type { Connection } from '../service/connection.ts';
import type { SourceId } from '../service/credentials.ts';
import { showMenu } from '../status/menu.ts';
import { modelText } from '../status/statusView.ts';
import { inform, offer } from '../ui/notify.ts';
import { openSettings } from '../ui/openSettings.ts';
import { undocumentedCommands } from '../undocumentedApi.ts';
import { COMMAND_MESSAGES } from './commandMessages.ts';
import type { App } from './commandTypes.ts';
import { serviceMenuRows } from './serviceMenuRows.ts';

/** Lets the user change the credentials, and then offers to retry a failed generation. */
type Repair = (change: (isRepair: boolean) => Promise<boolean>) => Promise<void>;

/** Runs *Show Status and Actions*. */
export async function openMenu(app: App, repair: Repair): Promise<unknown> {
  const { connections, status } = app;
  const { callers } = (await app.loadChat()).provider;
  // Get the folder before the menu opens, because another folder may be active by the time the user
  // picks a row.
  const looked = await connections.peekWithProgress(activeFolder());
  const { found, choice } = looked;
  const ofSources = sourceRows(found, choice);
  const hasChoice = ofSources.length > 1 || found.others.length > 0;
  // If nothing is set up and there is nothing to choose from, start setup. Focus the editor
  // first, because focus would otherwise return to the clicked status item.
  if (choice.kind === 'missing' && !found.record && !hasChoice) {
    await commands.executeCommand(undocumentedCommands.focusEditor);
    return connections.setUp();
  }
  const ofServices = await serviceMenuRows(app, looked);
  const { services, sources, another, extensions } = COMMAND_MESSAGES.menu;
  const connection = readyConnection(choice);
  const useAnother = { label: another, run: () => useAnotherSource(app, looked) };
  const available = {
    cancel: app.jobs.isGenerating ? () => app.jobs.cancelAll() : undefined,
    hasResponse: app.jobs.result !== undefined,
    hasUsage: await app.usage.hasUsage(connection),
    approve: needsApproval(choice)
      ? () => connections.for(found.folder.workspaceFolder)
      : undefined,
  };
  const shown = connection && shownInMenu(app, connection, found);
  return showMenu(status.facts, shown, available, [
    { label: services, rows: ofServices },
    {
      label: sources,
      rows: [
        ...ofSources.map((row) => ({
          ...row,
          run: () => showSource(app, row.source, looked, repair),
        })),
        useAnother,
      ],
    },
    {
      label: extensions,
      rows: callers.rows().map((row) => ({ ...row, run: () => showCaller(callers, row) })),
    },
  ]);
}

/**
 * Returns a connection's model and the reason why the connection uses its credential source. Leaves
 * out the model if the model ID contains a key.
 */
function shownInMenu(app: App, connection: Connection, { keys }: SourceSnapshot) {
  const isSecret = app.runtime.leaksInto(connection.modelId, [], 1, keys);
  return { reason: connection.reason, model: isSecret ? '' : modelText(connection) };
}

/** Lets the user pick an action for a source, and runs it. */
async function showSource(
  { connections }: App,
  source: SourceId,
  { found, choice }: Lookup,
  repair: Repair,
): Promise<unknown> {
  const folder = found.folder.workspaceFolder;
  const { items, ...options } = sourceMenu(source, found, choice);
  switch ((await window.showQuickPick(items, options))?.action) {
    case undefined:
      return undefined;
    case 'setUp':
      return repair((isRepair) => connections.setUp({ isRepair }, folder));
    case 'open':
      return openEnvFile(folder);
    case 'openSettings':
      return openSettings();
    case 'manageTrust':
      return commands.executeCommand(undocumentedCommands.manageTrust);
    case 'import':
      return repair((isRepair) => connections.importFrom(source, folder, isRepair));
    case 'forgetApproval':
    case 'forgetDecision':
      await connections.forget(source, folder);
      return inform(COMMAND_MESSAGES.forgotten);
  }
}

/** Lets the user pick a source, and writes it to `hostedModel.credentialSource`. */
async function useAnotherSource({ connections }: App, { found, choice }: Lookup): Promise<void> {
  const folder = found.folder.workspaceFolder;
  const place = targetText(targetForFolder(folder?.uri));
  const { title, placeHolder, isSet } = COMMAND_MESSAGES.anotherSource;
  const options = { title, placeHolder: placeHolder(place) };
  const picked = await window.showQuickPick(sourceChoices(found, choice), options);
  if (!picked) return;
  const { problem, value } = picked;
  if (problem) offer('warning', problem, ACTION_LABELS.diagnose, 'hostedModel.diagnose');
  else if (await connections.useSource(value, folder)) inform(isSet(value, place));
}

/** Offers to forget the decision about an extension. */
async function showCaller(callers: CallerDecisions, { caller, label }: CallerRow): Promise<void> {
  const { forget } = COMMAND_MESSAGES.menu;
  if (await window.showQuickPick([forget], { title: label })) await callers.forget(caller);
}
