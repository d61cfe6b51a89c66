/** Installs packages on Debian if this process is root or can become root without a password. */
import { access } from 'node:fs/promises';
import { run } from './command.ts';

export type AptGet = (...parameters: readonly string[]) => Promise<void>;

/**
 * Returns a function that runs `apt-get` as root, or through sudo if no password is needed. Returns
 * undefined if this isn't Debian, or if this process can't become root without a password.
 */
export async function findAptGet(): Promise<AptGet | undefined> {
  const administrator = await debianAdministrator();
  if (administrator === undefined) return undefined;
  // Without `SYSTEMD_OFFLINE`, Debian starts a package's services as soon as the package is
  // installed: https://systemd.io/ENVIRONMENT/
  const environment = ['env', 'DEBIAN_FRONTEND=noninteractive', 'SYSTEMD_OFFLINE=1'];
  const command = [...administrator, ...environment, 'apt-get'];
  return (...parameters) => run([...command, ...parameters], '/');
}

/**
 * Returns the words, such as `sudo`, to put before a command so that it runs as root. The list is
 * empty if this process is already root. Returns undefined if this isn't Debian, or if this process
 * can't become root without a password.
 */
async function debianAdministrator(): Promise<string[] | undefined> {
  const isDebian = await access('/etc/debian_version').then(
    () => true,
    () => false,
  );
  if (!isDebian) return undefined;
  if (process.getuid?.() === 0) return [];
  return run(['sudo', '-n', 'true'], '/').then(
    () => ['sudo', '-n'],
    () => undefined,
  );
}
