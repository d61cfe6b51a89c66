import type { Operation } from '../vendors.ts';

/** What the model is given to read, and how it is asked to go on with an answer that was cut. Pure. */

/** Text for the model, not for people: chat has no other way to go on from the middle of an answer. */
const GO_ON = 'Continue exactly where your answer ended. Repeat nothing and add no introduction.';

interface ChatMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** The text part of a request. */
export type RequestText =
  | { readonly messages: readonly ChatMessage[] }
  | { readonly input: string };

/**
 * The prompt as an operation wants it.
 * @param answerSoFar what the model has answered to it already; empty for a new answer
 */
export function requestText(
  operation: Operation,
  prompt: string,
  answerSoFar: string,
): RequestText {
  if (operation === 'generation') return { input: prompt + answerSoFar };
  const first: ChatMessage = { role: 'user', content: prompt };
  if (answerSoFar === '') return { messages: [first] };
  const answer: ChatMessage = { role: 'assistant', content: answerSoFar };
  return { messages: [first, answer, { role: 'user', content: GO_ON }] };
}

/** Every text within what is sent as JSON: values and names, however deep. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(stringsIn)];
}
