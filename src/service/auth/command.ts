import type { Authentication } from '../authentication.ts';
import type { AuthMethod } from './authMethod.ts';
import { readCommandOutput } from './commandOutput.ts';
import { runProgram } from './runProgram.ts';

/** Maximum number of bytes that a token command may print. */
const MAX_OUTPUT_BYTES = 65_536;

/**
 * Creates the authentication method that runs the user's program and reads the token that it
 * prints. Runs only the approved program, with the approved arguments.
 *
 * If the program exits with an error or is killed by a signal, runs it once more. Another program
 * may have locked or changed a shared token cache during the first run. However, the program isn't
 * run again if less than half of `deadlineMs` is left. A second run would probably exceed the
 * deadline and hide the first exit code.
 */
export function command({
  command: [, ...args],
}: Authentication & { kind: 'command' }): AuthMethod {
  return {
    scheme: 'Bearer',
    secrets: () => [],
    exchange: {
      path: '',
      isOnDemand: true,
      fetchToken: async ({ program = '' }, _identity, { signal, deadlineMs, clock }) => {
        const limits = { maxBytes: MAX_OUTPUT_BYTES, signal };
        const startedAt = clock.monotonic();
        const first = await runProgram(program, args, { ...limits, deadlineMs });
        const leftMs = deadlineMs - (clock.monotonic() - startedAt);
        const mayRunAgain = 'exitCode' in first && leftMs >= deadlineMs / 2;
        const output = mayRunAgain
          ? await runProgram(program, args, { ...limits, deadlineMs: leftMs })
          : first;
        return readCommandOutput(output, clock.now());
      },
    },
  };
}
