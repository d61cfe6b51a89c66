import type { ChildProcess } from 'node:child_process';
import { homedir } from 'node:os';
import spawn from 'cross-spawn';
import { ServiceError } from '../errors.ts';

export interface RunLimits {
  readonly maxBytes: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** A program's output, or its exit code if the program failed. */
export type ProgramEnd =
  | { readonly output: Buffer }
  /** The exit code is null if a signal killed the program. */
  | { readonly exitCode: number | null };

/**
 * Milliseconds to wait for the rest of the output after the program has ended. Without a limit, a
 * child process that left the process group could keep the pipe open forever.
 */
const REST_MS = 200;

/**
 * Runs a program in the home directory, without a shell, and reads its output. The program gets no
 * input. If the program exceeds a limit or the signal aborts, the program and its child processes
 * are killed. When the program exits, any processes left in its process group are killed, too.
 * @param program an absolute path, or empty if the program wasn't found
 * @throws {ServiceError} `command-failed` if the program can't be started or exceeds a limit;
 * `cancelled` if the signal aborts
 */
export function runProgram(
  program: string,
  args: readonly string[],
  { maxBytes, deadlineMs, signal }: RunLimits,
): Promise<ProgramEnd> {
  if (signal.aborted) return Promise.reject(new ServiceError('cancelled'));
  if (program === '') {
    return Promise.reject(new ServiceError('command-failed', { problem: 'not-found' }));
  }
  const child = start(program, args);
  if (!child) return Promise.reject(new ServiceError('command-failed', { problem: 'not-found' }));
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnd>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = () => endTree(child);
  const fail = (error: ServiceError) => {
    end();
    reject(error);
  };
  const cancel = () => fail(new ServiceError('cancelled'));
  const deadline = setTimeout(
    () => fail(new ServiceError('command-failed', { problem: 'too-slow' })),
    deadlineMs,
  );
  signal.addEventListener('abort', cancel, { once: true });
  process.once('exit', end);
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) fail(new ServiceError('command-failed', { problem: 'too-long' }));
    else chunks.push(chunk);
  });
  child.once('error', () => fail(new ServiceError('command-failed', { problem: 'not-found' })));
  let rest: NodeJS.Timeout | undefined;
  child.once('exit', () => {
    end();
    rest = setTimeout(() => child.stdout?.destroy(), REST_MS);
  });
  child.once('close', (exitCode) => {
    resolve(exitCode === 0 ? { output: Buffer.concat(chunks) } : { exitCode });
  });
  return promise.finally(() => {
    clearTimeout(deadline);
    clearTimeout(rest);
    signal.removeEventListener('abort', cancel);
    process.removeListener('exit', end);
    chunks.length = 0;
  });
}

/** Starts a program. Returns undefined if Node throws instead of emitting an `error` event. */
function start(program: string, args: readonly string[]): ChildProcess | undefined {
  try {
    return spawn(program, args, {
      cwd: homedir(),
      stdio: ['ignore', 'pipe', 'ignore'],
      // Starts a process group so that `endTree` can kill all processes in the group. On Windows,
      // `endTree` doesn't need a group.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
  } catch {
    // Node emits an `error` event for most errors, but throws others, such as ETXTBSY. Drop the
    // error, because it contains the arguments.
    return undefined;
  }
}

/** Kills a program and its child processes. */
function endTree({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    const options = { stdio: 'ignore', windowsHide: true } as const;
    // Without a listener, an `error` event would be thrown as an uncaught exception.
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], options).on('error', () => {});
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes in the group have already ended.
  }
}
