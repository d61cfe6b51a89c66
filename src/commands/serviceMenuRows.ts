import { type Lookup, serviceInUse } from '../connection/sourceSelection.ts';
import type { MenuItem } from '../status/menu.ts';
import { modelText } from '../status/statusView.ts';
import { oneLine } from '../ui/oneLine.ts';
import { COMMAND_MESSAGES } from './commandMessages.ts';
import type { App } from './commandTypes.ts';
import { switchSelections } from './serviceSwitch.ts';

/**
 * Returns a menu row for each service that is set up, except the service in use. Picking a row
 * changes the service that is used for selections.
 */
export async function serviceMenuRows(app: App, looked: Lookup): Promise<MenuItem[]> {
  const { word: used } = serviceInUse(looked);
  const owner = looked.found.folder.workspaceFolder;
  const all = await app.connections.all();
  const others = all.filter(({ service }) => service.word !== used);
  return others.map((connection) => ({
    run: () => switchSelections(app, owner, connection.service),
    label: COMMAND_MESSAGES.useService(oneLine(connection.service.name)),
    description: new URL(connection.serviceUrl).host,
    detail: oneLine(modelText(connection)),
  }));
}
