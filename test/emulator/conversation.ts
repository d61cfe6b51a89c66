import { isRecord } from './service.ts';

/** What a request gives the model to read. */

/** The text to answer: the input of a generation, the last user message of a chat, or nothing. */
export function promptOf(body: Record<string, unknown>): string {
  const input = body['input'];
  return typeof input === 'string' ? input : contentOf(messagesOf(body).findLast(isOf('user')));
}

/**
 * What is left of an answer that the request goes on with, as a model would write it that goes on
 * from the exact end; undefined for a request that begins an answer.
 * @param answers the whole answers so far, by the prompt that each was for
 */
export function restOfAnswer(
  body: Record<string, unknown>,
  answers: ReadonlyMap<string, string>,
): string | undefined {
  for (const [prompt, soFar] of readings(body, answers)) {
    const whole = answers.get(prompt);
    if (whole?.startsWith(soFar)) return whole.slice(soFar.length);
  }
  return undefined;
}

export function messagesOf(body: Record<string, unknown>): readonly unknown[] {
  return Array.isArray(body['messages']) ? body['messages'] : [];
}

/** A message's text; of a message in parts, that of its text parts. */
export function contentOf(message: unknown): string {
  const content = isRecord(message) ? message['content'] : undefined;
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part) => (isRecord(part) ? String(part['text'] ?? '') : '')).join('');
}

/**
 * The ways to read a request as a prompt and the beginning of its answer. A generation does not say
 * where one ends: it was any earlier prompt that the input begins with, the longest most likely.
 */
function readings(
  body: Record<string, unknown>,
  answers: ReadonlyMap<string, string>,
): [prompt: string, soFar: string][] {
  const input = body['input'];
  if (typeof input === 'string') {
    return [...answers.keys()]
      .filter((prompt) => input.startsWith(prompt) && input.length > prompt.length)
      .sort((one, other) => other.length - one.length)
      .map((prompt) => [prompt, input.slice(prompt.length)]);
  }
  const messages = messagesOf(body);
  const [first, answer, order, ...more] = messages.slice(messages.findIndex(isOf('user')));
  const isContinued = isOf('assistant')(answer) && isOf('user')(order) && more.length === 0;
  return isContinued ? [[contentOf(first), contentOf(answer)]] : [];
}

function isOf(role: string): (message: unknown) => boolean {
  return (message) => isRecord(message) && message['role'] === role;
}
