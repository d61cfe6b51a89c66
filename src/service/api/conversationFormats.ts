import type { ChatParts, RequestBody } from './api.ts';
import type { ChatMessage, ContentPart, Conversation, Tool, ToolCall } from './conversation.ts';

/** Converts conversations to body fields, and to text. Pure. */

/** Converts a conversation to the chat completions format. */
export function chatParts({ messages, tools, toolChoice }: Conversation): ChatParts {
  return {
    messages: messages.map(chatMessage),
    ...(tools.length > 0 && { tools: tools.map(chatTool), toolChoice }),
  };
}

/**
 * Returns the conversation as JSON without images, for estimating its token count. Includes the
 * tools, which can make up most of an agent's request.
 */
export function conversationText(conversation: Conversation): string {
  return JSON.stringify(conversation, (name, value) => (name === 'image' ? '' : value));
}

/** Returns the text of each message that the model didn't generate. */
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

/**
 * Formats a conversation as one prompt, because the generation operation has no roles. Each message
 * starts with its role. The prompt ends with `assistant:` so that the model continues with a
 * response.
 */
export function transcript(messages: readonly ChatMessage[]): string {
  const paragraphs = messages.map((message) => `${message.role}: ${textOf(message)}`);
  return [...paragraphs, 'assistant:'].join('\n\n');
}

function textOf(message: ChatMessage): string {
  if (message.role === 'assistant' || message.role === 'tool') return message.text;
  return message.content.flatMap((part) => ('text' in part ? [part.text] : [])).join('');
}
