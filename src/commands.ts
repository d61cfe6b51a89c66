import { commands, Disposable } from 'vscode';
import type { App } from './app.ts';

const COMMANDS = [
  'generateFromSelection',
  'setUp',
  'setApiKey',
  'signOut',
  'refreshToken',
  'showMenu',
  'diagnose',
  'selectModel',
  'openSettings',
  'showLog',
  'showLastResult',
  'moveKeyToSecretStorage',
  'addToGitignore',
  'removeByteOrderMark',
] as const;

export type CommandName = (typeof COMMANDS)[number];

/**
 * Registers every command behind one guard, which reports what a command failed with. Handlers get
 * no arguments, whoever calls: nobody can pass an address or a key. Commands resolve to undefined,
 * since `${command:…}` in a launch.json could read anything else.
 */
export function registerCommands(app: App): Disposable {
  const registrations = COMMANDS.map((name) => {
    const run = async (): Promise<undefined> => {
      const { handlers, report } = await import('./handlers.ts');
      try {
        await handlers[name](app);
      } catch (error) {
        if (await report(app, error)) void run();
      }
    };
    return commands.registerCommand(`hostedModel.${name}`, () => run());
  });
  return Disposable.from(...registrations);
}
