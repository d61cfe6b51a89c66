/**
 * What the benchmark asks of its driver, an extension in the extension host of the window that is
 * measured: one line of JSON each, over a connection on the loopback.
 */
export interface Orders {
  /** Activates extensions, one after the other. Answered with the milliseconds of each. */
  activate: { order: readonly string[]; answer: Record<string, number> };
  /** Opens a document with a text in which lines are selected, and runs a command for it. */
  run: { order: Run; answer: Ran };
  /** Closes the document that a command has run for. */
  close: { order: Record<string, never>; answer: true };
}

export interface Run {
  readonly command: string;
  readonly argument?: unknown;
  readonly text: string;
  /** The selected ones, counted from 0, each a selection of its own. */
  readonly lines: readonly number[];
  /** Whether the command runs even if the host has something else to do. */
  readonly isAtOnce?: boolean;
  /** Whether to undo until the document is as before, and count the steps. */
  readonly isUndone?: boolean;
  /** Whether somebody still works in the document, and closes it. */
  readonly staysOpen?: boolean;
}

/** Times are milliseconds on the clock of `clockMs`. */
export interface Ran {
  readonly startedAt: number;
  /** When the document said that it had changed. */
  readonly changedAt: readonly number[];
  /** When the command had. */
  readonly endedAt: number;
  readonly text: string;
  readonly undoSteps?: number;
}

/** Where an extension finds both services, each without a slash at its end. */
export interface Addresses {
  /** Of the identity service. */
  readonly authUrl: string;
  readonly url: string;
}

/** What the driver finds its way back by: the port that the benchmark listens on. */
export const portVariable = 'HOSTED_MODEL_BENCH_PORT';

/** Milliseconds on a clock that all processes of a machine share. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
