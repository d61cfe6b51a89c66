import type { ExtensionContext } from 'vscode';
import type { App } from './commands/app.ts';
import { registerCommands } from './commands/commands.ts';

/**
 * All that VS Code waits for: the commands are there, and the rest starts in the next turn. What a
 * command is asked for meanwhile it does once that is done. Starting takes six times as long
 * as this, and other extensions need not wait for it (measured, `npm run bench activation`).
 */
export function activate(context: ExtensionContext): void {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  context.subscriptions.push({ dispose: end });
  const start = async () => {
    const { start } = await import('./start.ts');
    return isOver ? undefined : start(context, hasAllCommands);
  };
  const nothing = () => undefined;
  const starting = new Promise<App | undefined>((resolve) => {
    setImmediate(() => resolve(start().catch(nothing)));
  });
  const hasAllCommands = registerCommands(starting, context.subscriptions);
}
