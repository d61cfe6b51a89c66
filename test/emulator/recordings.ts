import recorded from './recordings.json' with { type: 'json' };

/** One event in a recorded stream of server-sent events. */
export interface RecordedEvent {
  readonly id: number;
  readonly event: string;
  readonly data: unknown;
}

/** A recorded request. Words in angle brackets, such as `<API_KEY>`, are placeholders. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: Readonly<Record<string, unknown>>;
}

/** A response from the service. Its body is exactly one of `json`, `text`, and `sse`. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly sse?: readonly RecordedEvent[];
}

export interface Recording {
  readonly n: number;
  readonly name: string;
  /**
   * The evidence for this response. Starts with one or more of these letters: V (verified), C
   * (client source), D (documentation), L (live body), F (fixture), I (inferred).
   */
  readonly evidence: string;
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
  /** How a client should handle the response. */
  readonly client: string;
}

export const recordings: readonly Recording[] = recorded;

/** @throws {RangeError} if there is no recording with this number or name */
export function recording(numberOrName: number | string): Recording {
  const found = recordings.find(({ n, name }) => n === numberOrName || name === numberOrName);
  if (found === undefined) throw new RangeError(`No recording ${numberOrName}`);
  return found;
}
