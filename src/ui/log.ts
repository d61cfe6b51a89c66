import { type Disposable, type LogOutputChannel, window } from 'vscode';

/** What the extension needs of a log. */
export type Log = Pick<LogOutputChannel, 'debug' | 'info' | 'warn' | 'error' | 'show'>;

/** The log of this window. One that fails, as on a full disk, keeps nobody from working. */
export function openLog(): Log & Disposable {
  const channel = window.createOutputChannel('Hosted Model', { log: true });
  const quietly =
    <Values extends unknown[]>(write: (...values: Values) => void) =>
    (...values: Values) => {
      try {
        write(...values);
      } catch {
        // There is no other place to say it.
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
