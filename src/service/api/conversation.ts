/**
 * The types for conversations with a model, and a function that converts a prompt to a
 * conversation. Pure.
 */

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
    }
  /** The result of one tool call. */
  | { readonly role: 'tool'; readonly callId: string; readonly text: string };

export type ContentPart =
  | { readonly text: string }
  | { readonly image: Uint8Array; readonly mimeType: string };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON that the model generated, so it may be invalid. */
  readonly arguments: string;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The JSON schema for the arguments; undefined if the tool takes none. */
  readonly inputSchema: object | undefined;
}

export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  /** `required` if the model must call a tool. */
  readonly toolChoice: 'auto' | 'required';
}

/**
 * The user message that requests the rest of an incomplete response. The chat operation has no
 * field for this purpose.
 */
const GO_ON =
  'Continue exactly where your response stopped. Don’t repeat anything or add an introduction.';

/**
 * Converts a single prompt to a conversation.
 * @param responseSoFar an incomplete response for the model to continue
 */
export function promptConversation(prompt: string, responseSoFar = ''): Conversation {
  const first = userMessage(prompt);
  const answer: ChatMessage = { role: 'assistant', text: responseSoFar, toolCalls: [] };
  const messages = responseSoFar === '' ? [first] : [first, answer, userMessage(GO_ON)];
  return { messages, tools: [], toolChoice: 'auto' };
}

function userMessage(text: string): ChatMessage {
  return { role: 'user', content: [{ text }] };
}
