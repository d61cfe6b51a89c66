import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { insertModeIds } from '../../src/editor/insertMode.ts';

export type InsertModeId = (typeof insertModeIds)[number];

/** A keybinding for each insert mode. Choose keys that have no default keybinding in VS Code. */
export const modeKeys = {
  below: 'Control+Alt+F1',
  after: 'Control+Alt+F2',
  above: 'Control+Alt+F3',
  replace: 'Control+Alt+F4',
  newDocument: 'Control+Alt+F5',
  clipboard: 'Control+Alt+F6',
  preview: 'Control+Alt+F7',
} as const satisfies Readonly<Record<InsertModeId, string>>;

/** Keybindings that pass a template or unsupported arguments. */
export const argumentKeys = {
  template: { key: 'Control+Alt+F9', args: { template: 'Own Ways' } },
  unknownTemplate: { key: 'Control+Alt+F10', args: { template: 'No Such Template' } },
  unknownMode: { key: 'Control+Alt+F11', args: { insertMode: 'sideways' } },
  /** The command accepts neither of these arguments. */
  others: { key: 'Control+Alt+F12', args: { url: 'http://127.0.0.1:1', key: 'theirs' } },
} as const;

/** Keybindings for commands that the palette lists only after a generation. */
export const commandKeys = {
  continueGeneration: 'Control+Alt+Shift+F1',
  tryAgain: 'Control+Alt+Shift+F2',
  undoGeneration: 'Control+Alt+Shift+F3',
  showLastResponse: 'Control+Alt+Shift+F4',
} as const;

/** Writes the keybindings to a server's profile. Windows that open later use them. */
export async function writeKeybindings(dataDirectory: string): Promise<void> {
  const modes = Object.entries(modeKeys).map(([insertMode, key]) => ({
    key,
    args: { insertMode },
  }));
  const generations = [...modes, ...Object.values(argumentKeys)].map((binding) => ({
    ...binding,
    command: 'hostedModel.generateFromSelection',
  }));
  const others = Object.entries(commandKeys).map(([name, key]) => ({
    key,
    command: `hostedModel.${name}`,
  }));
  const bound = [...generations, ...others].map((binding) => ({
    ...binding,
    key: binding.key.toLowerCase().replace('control', 'ctrl'),
  }));
  const path = join(dataDirectory, 'data', 'User', 'keybindings.json');
  await writeFile(path, JSON.stringify(bound));
}
