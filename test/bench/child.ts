import { type ChildProcess, fork } from 'node:child_process';

/**
 * Runs child processes that handle one request at a time. Each has its own heap, and its CPU time
 * can be measured separately.
 */

type Handlers = Readonly<Record<string, (value: never) => unknown>>;

interface Request {
  readonly name: string;
  readonly value: unknown;
}

interface Reply {
  readonly value?: unknown;
  readonly failure?: string;
}

/** Handles the requests that `Child` sends from the parent process. */
export function answerParent(handlers: Handlers): void {
  process.on('message', async ({ name, value }: Request) => {
    process.send?.(await reply(handlers[name] as (value: unknown) => unknown, value));
  });
}

async function reply(handler: (value: unknown) => unknown, asked: unknown): Promise<Reply> {
  try {
    return { value: await handler(asked) };
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

export class Child {
  readonly #process: ChildProcess;

  constructor(path: string, values: readonly string[] = [], nodeOptions: readonly string[] = []) {
    this.#process = fork(path, [...values], { execArgv: [...nodeOptions] });
  }

  /**
   * @throws {Error} if the request fails, with the child's stack trace as the message
   * @throws {Error} if the child exits before it responds, with its exit code in the message
   */
  async ask<Value>(name: string, value?: unknown): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const ended = (code: number | null) =>
      reject(new Error(`A child process ended with code ${code}`));
    this.#process.once('message', (message) => resolve(message as Reply));
    this.#process.once('exit', ended);
    this.#process.send({ name, value: value ?? null } satisfies Request);
    const { value: answer, failure } = await promise;
    this.#process.off('exit', ended);
    if (failure !== undefined) throw new Error(failure);
    return answer as Value;
  }

  end(): void {
    this.#process.kill();
  }
}
