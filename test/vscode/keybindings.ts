import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The keybindings of the user in UI tests: *Generate from selection* with arguments. */

const command = 'hostedModel.generateFromSelection';

/** The keys that generate with each insert mode. */
export const modeKeys = {
  below: 'Control+Alt+F1',
  after: 'Control+Alt+F2',
  above: 'Control+Alt+F3',
  replace: 'Control+Alt+F4',
  newDocument: 'Control+Alt+F5',
  clipboard: 'Control+Alt+F6',
  preview: 'Control+Alt+F7',
} as const;

/** The keys that pass other arguments. */
export const argumentKeys = {
  template: { key: 'Control+Alt+F9', args: { template: 'Own Ways' } },
  unknownTemplate: { key: 'Control+Alt+F10', args: { template: 'No Such Template' } },
  unknownMode: { key: 'Control+Alt+F11', args: { insertMode: 'sideways' } },
  /** The command takes none of these. */
  others: { key: 'Control+Alt+F12', args: { url: 'http://127.0.0.1:1', key: 'theirs' } },
} as const;

/**
 * Writes them into the profile of a server. Windows that are opened later read them.
 * @param dataDirectory of the server
 */
export async function writeKeybindings(dataDirectory: string): Promise<void> {
  const modes = Object.entries(modeKeys).map(([insertMode, key]) => ({
    key,
    args: { insertMode },
  }));
  const bound = [...modes, ...Object.values(argumentKeys)].map(({ key, args }) => ({
    key: key.toLowerCase().replace('control', 'ctrl'),
    command,
    args,
  }));
  const path = join(dataDirectory, 'data', 'User', 'keybindings.json');
  await writeFile(path, JSON.stringify(bound));
}
