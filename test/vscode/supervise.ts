/**
 * Runs a command in a process group of its own and ends the whole group when standard input closes.
 * That happens when its starter asks for it and also when the starter dies, however it dies, so
 * nothing is ever left running. Temporary directories are deleted afterwards.
 *
 * Arguments: a JSON array of directories to delete, then the command.
 */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';

/** Milliseconds the group may take to end by itself before it is killed. */
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
// Control+C reaches the starter too, which closes standard input when it is ready to.
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
    // The group is gone already.
  }
}
