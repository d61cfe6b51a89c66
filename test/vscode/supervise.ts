/**
 * Runs a command in its own process group, and ends the whole group when standard input closes. The
 * parent closes standard input to stop the command. Standard input also closes if the parent dies,
 * so no process is left running. Deletes temporary directories afterward.
 *
 * Arguments: a JSON array of directories to delete, then the command.
 */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';

/** Milliseconds that the group may take to exit before it is killed. */
const graceMilliseconds = 2000;

const [directories = '[]', program = '', ...parameters] = process.argv.slice(2);
const child = spawn(program, parameters, {
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit'],
});

child.on('error', (error) => {
  console.error(error.message);
  process.exitCode = 1;
});
child.on('close', async (code) => {
  signalGroup('SIGKILL');
  const temporary = JSON.parse(directories) as string[];
  await Promise.all(
    temporary.map((directory) => rm(directory, { recursive: true, force: true, maxRetries: 5 })),
  );
  process.exit(code ?? 1);
});

process.stdin.resume();
process.stdin.on('close', stop);
process.on('SIGTERM', stop);
// Ignores interrupts, because the parent closes standard input to stop the command.
process.on('SIGINT', () => undefined);

function stop(): void {
  signalGroup('SIGTERM');
  setTimeout(() => signalGroup('SIGKILL'), graceMilliseconds).unref();
}

function signalGroup(signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has already ended.
  }
}
