import { spawn } from 'node:child_process';

/** Maximum number of output lines in the error message of a failed command. */
const outputLinesInError = 40;

/**
 * Runs a command without printing its output.
 *
 * @throws {Error} with the command and the end of its output, if the exit code isn't 0
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
      // On Windows, npm is a .cmd file, which only a shell can run.
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
