import type { Body } from './body.ts';
import type { Generation } from './client.ts';
import { ServiceError } from './errors.ts';
import { failureInEvent } from './failures.ts';
import type { Piece, StopReason } from './piece.ts';
import { readEvents } from './stream.ts';
import { parseJson } from './wire.ts';

/** Puts the pieces of one generation together. */
export class Collector {
  readonly #onText: ((text: string) => void) | undefined;
  readonly #parts: string[] = [];
  readonly #warnings = new Set<string>();
  #stopReason: StopReason | undefined;
  #inputTokens = 0;
  #outputTokens = 0;

  constructor(onText: ((text: string) => void) | undefined) {
    this.#onText = onText;
  }

  get hasText(): boolean {
    return this.#parts.length > 0;
  }

  /** True once the service has said why it stopped. */
  get isComplete(): boolean {
    return this.#stopReason !== undefined;
  }

  add(piece: Piece): void {
    this.#stopReason = piece.stopReason ?? this.#stopReason;
    this.#inputTokens = piece.inputTokens ?? this.#inputTokens;
    this.#outputTokens = piece.outputTokens ?? this.#outputTokens;
    for (const id of piece.warnings) this.#warnings.add(id);
    if (piece.text === '') return;
    this.#parts.push(piece.text);
    this.#onText?.(piece.text);
  }

  /** @throws {ServiceError} `incomplete` if the service never said that it stopped */
  finish(): Omit<Generation, 'dropped'> {
    if (this.#stopReason === undefined) throw new ServiceError('incomplete');
    if (this.#stopReason === 'error') throw new ServiceError('server-failed');
    return {
      text: this.#parts.join(''),
      stopReason: this.#stopReason,
      usage: { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens },
      warnings: [...this.#warnings],
    };
  }
}

/**
 * Collects a streamed answer.
 * @param signal of the caller: what it cancelled is not complete
 * @throws {ServiceError} as the stream reports, or as reading it fails
 */
export async function collectStream(
  body: Body,
  readPiece: (json: unknown) => Piece,
  collected: Collector,
  signal: AbortSignal,
): Promise<void> {
  try {
    await readEvents(body, ({ data }) => {
      const json = parseJson(data);
      const failure = failureInEvent(json);
      if (failure) throw failure;
      if (!isSilent(json, data)) collected.add(readPiece(json));
    });
  } catch (error) {
    // The service had said all: how the connection ended after that is no matter.
    if (!collected.isComplete || signal.aborted) throw error;
  }
}

/** Comments, `close`, keep-alives and other events that are no part of an answer. */
function isSilent(json: unknown, data: string): boolean {
  if (json === undefined) return !data.trimStart().startsWith('{');
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return isObject && !('choices' in json || 'results' in json);
}
