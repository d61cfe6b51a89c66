import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import {
  LanguageModelDataPart,
  LanguageModelError,
  type LanguageModelResponsePart,
  LanguageModelToolCallPart,
  type Progress,
} from 'vscode';
import { thinkingPart, USAGE_TYPE } from '../privateApi.ts';
import type { ToolCall } from '../service/api/conversation.ts';
import type { Generation } from '../service/api/responseReader.ts';
import { parseJson } from '../service/responseSchemas.ts';
import * as texts from './chatMessages.ts';

/** What VS Code is told of an answer: its parts, and why it is none. */

/** A sentence of ours, which the chat shows as it is. */
export class ChatError extends Error {}

/** Reports what follows the text: the usage, which the chat counts, and calls, whole. */
export function reportAnswer(
  answer: Generation,
  progress: Progress<LanguageModelResponsePart>,
): void {
  const { inputTokens, outputTokens } = answer.usage;
  const counts = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  // All of them before the first is reported: of a half list nothing may run.
  const calls = cutReason(answer) ? [] : answer.toolCalls.map(callPart);
  for (const call of calls) progress.report(call);
  progress.report(new LanguageModelDataPart(Buffer.from(JSON.stringify(counts)), USAGE_TYPE));
}

/** @throws {ChatError} where the answer is cut, or none */
export function checkEnd(answer: Generation, hasReasoned: boolean): void {
  const reason = cutReason(answer);
  if (reason) throw new ChatError(texts.truncatedText(reason));
  if (answer.text.trim() !== '' || answer.toolCalls.length > 0) return;
  throw new ChatError(hasReasoned ? texts.ONLY_REASONING : texts.EMPTY_ANSWER);
}

function cutReason({ stopReason }: Generation) {
  return stopReason === 'max_tokens' || stopReason === 'time_limit' ? stopReason : undefined;
}

function callPart({ id, name, arguments: given }: ToolCall): LanguageModelToolCallPart {
  const input = parseJson(given || '{}');
  if (typeof input !== 'object' || input === null || Array.isArray(input) || name === '') {
    throw new ChatError(texts.UNREADABLE_CALL);
  }
  return new LanguageModelToolCallPart(id || randomUUID(), name, input);
}

/** Other extensions read the code: a refusal of ours is final, anything else is not. */
export function errorForExtension(error: unknown, text: string): LanguageModelError {
  return error instanceof ChatError
    ? LanguageModelError.NoPermissions(text)
    : new LanguageModelError(text);
}

/** Reports reasoning, or nothing if VS Code can't show it. */
export function reportReasoning(text: string, progress: Progress<LanguageModelResponsePart>): void {
  const part = thinkingPart(vscode, text);
  if (part) progress.report(part);
}
