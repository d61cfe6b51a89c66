import { isRecord } from './service.ts';

/** Reads the model's input from a request. */

/**
 * Returns the input of a generation, or the last user message in a chat. Returns an empty string if
 * the request contains neither.
 */
export function promptOf(body: Record<string, unknown>): string {
  const input = body['input'];
  return typeof input === 'string' ? input : contentOf(messagesOf(body).findLast(isOf('user')));
}

/**
 * Returns the rest of the earlier response that the request continues, or undefined if the request
 * starts a new response.
 * @param answers the complete text of earlier responses, by prompt
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

/** Returns the text of a message. If the message has several parts, joins the text parts. */
export function contentOf(message: unknown): string {
  const content = isRecord(message) ? message['content'] : undefined;
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part) => (isRecord(part) ? String(part['text'] ?? '') : '')).join('');
}

/**
 * Returns all ways to split a request into a prompt and the beginning of the response to it. The
 * input of a generation doesn't mark where the prompt ends, so the prompt can be any earlier prompt
 * that the input starts with. The longest prompt comes first.
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
