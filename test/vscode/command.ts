/** Runs a command until it exits. */
import { spawn } from 'node:child_process';

/** Number of output lines that the error of a failed command repeats. */
const outputLinesInError = 40;

/**
 * Runs a command. Its output appears only in the error if the command fails.
 *
 * @throws Error with the command and the end of its output if it doesn't exit with 0.
 */
export function run(
  command: readonly string[],
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [program = '', ...parameters] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      cwd: directory,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // npm is a .cmd file on Windows.
      shell: process.platform === 'win32',
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) return resolve();
      const end = output.trimEnd().split('\n').slice(-outputLinesInError).join('\n');
      reject(new Error(`\`${command.join(' ')}\` ended with ${code ?? signal}:\n${end}`));
    });
  });
}
