/**
 * The commands that the benchmark sends to its driver, an extension in the measured window. Each
 * command and each result is one line of JSON, sent over a loopback connection.
 */
export interface Orders {
  /**
   * Activates extensions one after another, and returns how long each activation took, in
   * milliseconds.
   */
  activate: { order: readonly string[]; answer: Record<string, number> };
  /** Opens a document with text, selects lines, and runs a command. */
  run: { order: Run; answer: Ran };
  /** Closes the document that the last `run` opened. */
  close: { order: Record<string, never>; answer: true };
}

export interface Run {
  readonly command: string;
  readonly argument?: unknown;
  readonly text: string;
  /** Zero-based numbers of the selected lines. Each line is a separate selection. */
  readonly lines: readonly number[];
  /** True to run the command without waiting until the extension host and the window are idle. */
  readonly isAtOnce?: boolean;
  /** True to undo the command's edits and count the undo steps. */
  readonly isUndone?: boolean;
  /** True to leave the document open until the `close` command. */
  readonly staysOpen?: boolean;
}

/** The result of a `run` command. Times are in milliseconds, as returned by `clockMs`. */
export interface Ran {
  readonly startedAt: number;
  /** Times of the document's change events. */
  readonly changedAt: readonly number[];
  readonly endedAt: number;
  readonly text: string;
  readonly undoSteps?: number;
}

/**
 * The services' addresses, without a trailing slash: `authUrl` of the identity service and `url` of
 * the inference service.
 */
export interface Addresses {
  readonly authUrl: string;
  readonly url: string;
}

/**
 * Name of the environment variable that contains the port on which the benchmark waits for its
 * driver to connect.
 */
export const portVariable = 'HOSTED_MODEL_BENCH_PORT';

/** Returns the time in milliseconds, from a clock that all processes on a machine share. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
