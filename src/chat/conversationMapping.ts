import {
  LanguageModelChatMessageRole,
  type LanguageModelChatRequestMessage,
  LanguageModelChatToolMode,
  LanguageModelDataPart,
  LanguageModelPromptTsxPart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
  type ProvideLanguageModelChatResponseOptions,
} from 'vscode';
import type { ChatMessage, ContentPart, Conversation } from '../service/api/conversation.ts';
import { isInternalType, SYSTEM_ROLE } from '../undocumentedApi.ts';
import { withoutNotice } from './chatMessages.ts';

/** Converts VS Code's chat messages to a conversation for the service. Pure. */

/** First bytes of a PNG file. VS Code converts some images to PNG but keeps their old MIME type. */
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

export function conversationOf(
  messages: readonly LanguageModelChatRequestMessage[],
  { tools = [], toolMode }: Pick<ProvideLanguageModelChatResponseOptions, 'tools' | 'toolMode'>,
): Conversation {
  return {
    messages: messages.flatMap(messagesOf),
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    toolChoice: toolMode === LanguageModelChatToolMode.Required ? 'required' : 'auto',
  };
}

/**
 * Returns the text of a message, including tool calls and results, for estimating its token count.
 */
export function textOfMessage(message: LanguageModelChatRequestMessage): string {
  return message.content
    .map((part) =>
      part instanceof LanguageModelToolCallPart ? JSON.stringify(part.input) : textOfPart(part),
    )
    .join('');
}

/** Converts a message from VS Code. Each tool result in the message becomes a separate message. */
function messagesOf({ role, content }: LanguageModelChatRequestMessage): ChatMessage[] {
  if (role === LanguageModelChatMessageRole.Assistant) return assistantMessage(content);
  const results = content
    .filter((part) => part instanceof LanguageModelToolResultPart)
    .map((part) => ({ role: 'tool' as const, callId: part.callId, text: resultText(part) }));
  const parts = content.flatMap(contentPart);
  const author = Number(role) === SYSTEM_ROLE ? 'system' : 'user';
  return parts.length > 0 ? [...results, { role: author, content: parts }] : results;
}

/**
 * Converts an earlier response from the model. Keeps text and tool calls, and drops all other
 * parts.
 */
function assistantMessage(content: readonly unknown[]): ChatMessage[] {
  const text = content.map((part) => (part instanceof LanguageModelTextPart ? part.value : ''));
  const toolCalls = content
    .filter((part) => part instanceof LanguageModelToolCallPart)
    .map(({ callId: id, name, input }) => ({ id, name, arguments: JSON.stringify(input) }));
  const message: ChatMessage = {
    role: 'assistant',
    text: withoutNotice(text.join('')),
    toolCalls,
  };
  return message.text === '' && toolCalls.length === 0 ? [] : [message];
}

function contentPart(part: unknown): ContentPart[] {
  if (part instanceof LanguageModelToolResultPart) return [];
  if (part instanceof LanguageModelDataPart && part.mimeType.startsWith('image/')) {
    const isPng = PNG.equals(part.data.subarray(0, PNG.length));
    return [{ image: part.data, mimeType: isPng ? 'image/png' : part.mimeType }];
  }
  const text = textOfPart(part);
  return text === '' ? [] : [{ text }];
}

/**
 * Returns a tool result as text. Tool messages can contain only text, so binary parts are replaced
 * with their type and size. Leaves out VS Code's internal data.
 */
function resultText({ content }: LanguageModelToolResultPart): string {
  return content
    .map((part) => {
      const text = textOfPart(part);
      const isBinary = part instanceof LanguageModelDataPart && !isInternalType(part.mimeType);
      return isBinary && !text ? `[${part.mimeType}, ${part.data.length} bytes]` : text;
    })
    .join('');
}

function textOfPart(part: unknown): string {
  if (part instanceof LanguageModelTextPart) return part.value;
  if (part instanceof LanguageModelPromptTsxPart) {
    return typeof part.value === 'string' ? part.value : JSON.stringify(part.value);
  }
  if (part instanceof LanguageModelToolResultPart) return resultText(part);
  if (!(part instanceof LanguageModelDataPart)) return typeof part === 'string' ? part : '';
  const isText = /^text\/|\b(json|xml)\b/.test(part.mimeType);
  return isText ? Buffer.from(part.data).toString() : '';
}
