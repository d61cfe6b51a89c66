import type { ChatParts } from './api.ts';
import type { RequestBody } from './requestBody.ts';

/**
 * A conversation with a model, and how each operation wants to have it: messages, tools and images.
 * Pure.
 */

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
    }
  /** What a tool answered to one call. */
  | { readonly role: 'tool'; readonly callId: string; readonly text: string };

export type ContentPart =
  | { readonly text: string }
  | { readonly image: Uint8Array; readonly mimeType: string };

/** A call that the model asks for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it: it may be broken. */
  readonly arguments: string;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments; undefined for a tool that takes none. */
  readonly inputSchema: object | undefined;
}

export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  /** Whether the model must call a tool, or may. */
  readonly toolChoice: 'auto' | 'required';
}

/** Text for the model, not for people: chat has no other way to go on from the middle of an answer. */
const GO_ON = 'Continue exactly where your answer ended. Repeat nothing and add no introduction.';

/**
 * A prompt by itself.
 * @param answerSoFar what the model has answered to it already, and is to go on with
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

/** What chat is sent of a conversation, before the API puts it together. */
export function chatParts({ messages, tools, toolChoice }: Conversation): ChatParts {
  return {
    messages: messages.map(chatMessage),
    ...(tools.length > 0 && { tools: tools.map(chatTool), toolChoice }),
  };
}

/** All that the model reads, for an estimate: the tools of an agent are most of it, a picture is no text. */
export function conversationText(conversation: Conversation): string {
  return JSON.stringify(conversation, (name, value) => (name === 'image' ? '' : value));
}

/** The texts of a conversation that are not the model's own. */
export function inputTexts(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? [] : [textOf(message)]));
}

function chatMessage(message: ChatMessage): RequestBody & { readonly role: string } {
  switch (message.role) {
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
    case 'assistant':
      return {
        role: 'assistant',
        ...(message.text !== '' && { content: message.text }),
        ...(message.toolCalls.length > 0 && { tool_calls: message.toolCalls.map(chatToolCall) }),
      };
    default: {
      const hasImage = message.content.some((part) => 'image' in part);
      const content = hasImage ? message.content.map(chatPart) : textOf(message);
      return { role: message.role, content };
    }
  }
}

function chatPart(part: ContentPart): Readonly<Record<string, unknown>> {
  if ('text' in part) return { type: 'text', text: part.text };
  const data = Buffer.from(part.image).toString('base64');
  return { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${data}` } };
}

function chatToolCall({ id, ...call }: ToolCall) {
  return { id, type: 'function', function: call };
}

function chatTool({ name, description, inputSchema }: Tool) {
  const parameters = inputSchema ?? { type: 'object', properties: {} };
  return { type: 'function', function: { name, description, parameters } };
}

/** Generation knows no roles: each message is a paragraph with its role, and the last one is open. */
export function transcript(messages: readonly ChatMessage[]): string {
  const paragraphs = messages.map((message) => `${message.role}: ${textOf(message)}`);
  return [...paragraphs, 'assistant:'].join('\n\n');
}

function textOf(message: ChatMessage): string {
  if (message.role === 'assistant' || message.role === 'tool') return message.text;
  return message.content.flatMap((part) => ('text' in part ? [part.text] : [])).join('');
}
