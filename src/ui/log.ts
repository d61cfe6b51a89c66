import { type Disposable, type LogOutputChannel, window } from 'vscode';

/** The parts of VS Code's log channel that the extension uses. */
export type Log = Pick<LogOutputChannel, 'debug' | 'info' | 'warn' | 'error' | 'show'>;

/** Opens the log for this window. Ignores failed writes, for example if the disk is full. */
export function openLog(): Log & Disposable {
  const channel = window.createOutputChannel('Hosted Model', { log: true });
  const quietly =
    <Values extends unknown[]>(write: (...values: Values) => void) =>
    (...values: Values) => {
      try {
        write(...values);
      } catch {
        // A failed log write must not cause the logged operation to fail.
      }
    };
  return {
    debug: quietly((text: string) => channel.debug(text)),
    info: quietly((text: string) => channel.info(text)),
    warn: quietly((text: string) => channel.warn(text)),
    error: quietly((text) => channel.error(text)),
    show: quietly(() => channel.show()),
    dispose: () => channel.dispose(),
  };
}

/**
 * Returns the name of an error, for use in the log. The error's message isn't logged, because it
 * can contain secrets.
 */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : 'an unknown error';
}
