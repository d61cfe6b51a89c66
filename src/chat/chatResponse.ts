import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import {
  LanguageModelDataPart,
  LanguageModelError,
  type LanguageModelResponsePart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  type Progress,
} from 'vscode';
import { openFence } from '../editor/fit/fenceLines.ts';
import type { ToolCall } from '../service/api/conversation.ts';
import type { Generation } from '../service/api/responseReader.ts';
import { truncationOf } from '../service/api/stopReason.ts';
import { parseJson } from '../service/schemaHelpers.ts';
import { thinkingPart, USAGE_TYPE } from '../undocumentedApi.ts';
import * as texts from './chatMessages.ts';

/** Reports responses and failures to VS Code's chat and other extensions. */

/** An error whose message can be shown to the user as is. */
export class ChatError extends Error {}

/**
 * Reports the parts of a response that follow its text: tool calls and token usage. Drops the tool
 * calls of a truncated response, because they may be incomplete.
 */
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
  // Convert all calls before reporting any so that no tool runs if one of the calls is malformed.
  const calls = truncationOf(response.stopReason) ? [] : response.toolCalls.map(callPart);
  for (const call of calls) progress.report(call);
  progress.report(new LanguageModelDataPart(Buffer.from(JSON.stringify(counts)), USAGE_TYPE));
}

/**
 * Reports the end of a response to VS Code's chat. If the response is truncated but has text, adds
 * a notice instead of throwing. If this threw an error, the chat would hide some of the text, and
 * the model couldn't pick up where it left off.
 * @throws {ChatError} if the response is empty, or is truncated and has no text
 */
export function reportEnd(
  response: Generation,
  hasReasoned: boolean,
  progress: Progress<LanguageModelResponsePart>,
): void {
  const reason = truncationOf(response.stopReason);
  if (!reason || response.text.trim() === '') checkEnd(response, hasReasoned);
  else {
    const fence = openFence(response.text);
    // Close the fence so that the notice isn't shown as code.
    const closing = fence ? `\n${fence.indentation}${fence.marks}` : '';
    progress.report(new LanguageModelTextPart(`${closing}\n\n${texts.truncationNotice(reason)}`));
  }
}

/** @throws {ChatError} if the response is truncated or empty */
export function checkEnd(response: Generation, hasReasoned: boolean): void {
  const reason = truncationOf(response.stopReason);
  if (reason) throw new ChatError(texts.truncatedMessage(reason));
  if (response.text.trim() !== '' || response.toolCalls.length > 0) return;
  throw new ChatError(hasReasoned ? texts.ONLY_REASONING : texts.EMPTY_RESPONSE);
}

function callPart({ id, name, arguments: given }: ToolCall): LanguageModelToolCallPart {
  const input = parseJson(given || '{}');
  if (typeof input !== 'object' || input === null || Array.isArray(input) || name === '') {
    throw new ChatError(texts.UNREADABLE_CALL);
  }
  return new LanguageModelToolCallPart(id || randomUUID(), name, input);
}

/**
 * Converts a failure to an error for another extension. A `ChatError` becomes `NoPermissions` so
 * that the extension doesn't retry.
 */
export function errorForExtension(error: unknown, text: string): LanguageModelError {
  return error instanceof ChatError
    ? LanguageModelError.NoPermissions(text)
    : new LanguageModelError(text);
}

/** Reports reasoning if this version of VS Code can show it. */
export function reportReasoning(text: string, progress: Progress<LanguageModelResponsePart>): void {
  const part = thinkingPart(vscode, text);
  if (part) progress.report(part);
}
