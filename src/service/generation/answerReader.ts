import { ServiceError } from '../errors.ts';
import { failureInEvent } from '../failures.ts';
import type { Body } from '../http/body.ts';
import { readEvents } from '../http/body.ts';
import { parseJson } from '../wire.ts';
import type { AnswerChunk, StopReason, Usage } from './answerChunk.ts';

export interface Generation {
  readonly text: string;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** Parameters that the operation has no counterpart for; they were not sent. */
  readonly dropped: readonly string[];
  /** Short ids of the service's warnings, such as `api_legacy`, none of which repeats a secret. */
  readonly warnings: readonly string[];
}

/** Puts the pieces of one generation together. */
export class AnswerReader {
  readonly #onText: ((text: string) => void) | undefined;
  readonly #parts: string[] = [];
  readonly #warnings = new Set<string>();
  #stopReason: StopReason | undefined;
  #inputTokens = 0;
  #outputTokens: number | undefined;

  constructor(onText: ((text: string) => void) | undefined) {
    this.#onText = onText;
  }

  get hasText(): boolean {
    return this.#parts.length > 0;
  }

  /** True once the service has said why it stopped: how the connection ends after that is no matter. */
  get isComplete(): boolean {
    return this.#stopReason !== undefined;
  }

  /** True once it has also counted its tokens, which is the last that it says. */
  get isWhole(): boolean {
    return this.isComplete && this.#outputTokens !== undefined;
  }

  add(piece: AnswerChunk): void {
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
      usage: { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens ?? 0 },
      warnings: [...this.#warnings],
    };
  }
}

/** After the reason why the service stopped only its count of tokens is waited for. */
const COUNT_MS = 1_000;

/**
 * Collects a streamed answer up to its last event; what follows that is left unread.
 * @param signal of the caller: what it cancelled is not complete
 * @throws {ServiceError} as the stream reports, or as reading it fails
 */
export async function readAnswerStream(
  body: Body,
  readChunk: (json: unknown) => AnswerChunk,
  collected: AnswerReader,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const { data } of readEvents(body)) {
      const json = parseJson(data);
      const failure = failureInEvent(json);
      if (failure) throw failure;
      if (isSilent(json, data)) continue;
      collected.add(readChunk(json));
      if (collected.isWhole) return;
      if (collected.isComplete) body.endWithin(COUNT_MS);
    }
  } catch (error) {
    if (!collected.isComplete || signal.aborted) throw error;
  }
}

/** Comments, `close`, keep-alives and other events that are no part of an answer. */
function isSilent(json: unknown, data: string): boolean {
  if (json === undefined) return !data.trimStart().startsWith('{');
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return isObject && !('choices' in json || 'results' in json);
}
