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
import { parseJson } from '../service/schemaHelpers.ts';
import * as texts from './chatMessages.ts';

/** Reports responses and failures to VS Code's chat. */

/** A failure with a message that the chat shows unchanged. */
export class ChatError extends Error {}

/** Reports the parts after the text: complete tool calls, and the token usage. */
export function reportResponse(
  response: Generation,
  progress: Progress<LanguageModelResponsePart>,
): void {
  const { inputTokens, outputTokens } = response.usage;
  const counts = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  // All calls are converted before the first is reported. If one is malformed, none may run.
  const calls = truncationReason(response) ? [] : response.toolCalls.map(callPart);
  for (const call of calls) progress.report(call);
  progress.report(new LanguageModelDataPart(Buffer.from(JSON.stringify(counts)), USAGE_TYPE));
}

/** @throws {ChatError} if the response is truncated or empty */
export function checkEnd(response: Generation, hasReasoned: boolean): void {
  const reason = truncationReason(response);
  if (reason) throw new ChatError(texts.truncatedMessage(reason));
  if (response.text.trim() !== '' || response.toolCalls.length > 0) return;
  throw new ChatError(hasReasoned ? texts.ONLY_REASONING : texts.EMPTY_RESPONSE);
}

function truncationReason({ stopReason }: Generation) {
  return stopReason === 'max_tokens' || stopReason === 'time_limit' ? stopReason : undefined;
}

function callPart({ id, name, arguments: given }: ToolCall): LanguageModelToolCallPart {
  const input = parseJson(given || '{}');
  if (typeof input !== 'object' || input === null || Array.isArray(input) || name === '') {
    throw new ChatError(texts.UNREADABLE_CALL);
  }
  return new LanguageModelToolCallPart(id || randomUUID(), name, input);
}

/** Converts a failure for other extensions. `NoPermissions` marks our refusals as final. */
export function errorForExtension(error: unknown, text: string): LanguageModelError {
  return error instanceof ChatError
    ? LanguageModelError.NoPermissions(text)
    : new LanguageModelError(text);
}

/** Reports reasoning. Does nothing if VS Code can't show it. */
export function reportReasoning(text: string, progress: Progress<LanguageModelResponsePart>): void {
  const part = thinkingPart(vscode, text);
  if (part) progress.report(part);
}
