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
import { SYSTEM_ROLE } from '../privateApi.ts';
import type { ChatMessage, ContentPart, Conversation } from '../service/api/conversation.ts';

/** What VS Code hands to a provider, as a conversation of the service. Pure. */

/** Of a picture, at its beginning: VS Code makes a PNG of some and keeps their old name. */
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

/** All that a message says in words: what its tokens are estimated by. */
export function textOfMessage(message: LanguageModelChatRequestMessage): string {
  return message.content
    .map((part) =>
      part instanceof LanguageModelToolCallPart ? JSON.stringify(part.input) : textOfPart(part),
    )
    .join('');
}

/** One of VS Code's can be several: each result of a tool is a message of its own. */
function messagesOf({ role, content }: LanguageModelChatRequestMessage): ChatMessage[] {
  if (role === LanguageModelChatMessageRole.Assistant) return assistantMessage(content);
  const results = content
    .filter((part) => part instanceof LanguageModelToolResultPart)
    .map((part) => ({ role: 'tool' as const, callId: part.callId, text: resultText(part) }));
  const said = content.flatMap(contentPart);
  const author = Number(role) === SYSTEM_ROLE ? 'system' : 'user';
  return said.length > 0 ? [...results, { role: author, content: said }] : results;
}

/** Without what the model said to itself, and what VS Code keeps beside the text. */
function assistantMessage(content: readonly unknown[]): ChatMessage[] {
  const text = content.map((part) => (part instanceof LanguageModelTextPart ? part.value : ''));
  const toolCalls = content
    .filter((part) => part instanceof LanguageModelToolCallPart)
    .map(({ callId: id, name, input }) => ({ id, name, arguments: JSON.stringify(input) }));
  const message: ChatMessage = { role: 'assistant', text: text.join(''), toolCalls };
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

/** What the service takes no part for is named, so that the model knows that it was there. */
function resultText({ content }: LanguageModelToolResultPart): string {
  return content
    .map((part) =>
      part instanceof LanguageModelDataPart && !textOfPart(part)
        ? `[${part.mimeType}, ${part.data.length} bytes]`
        : textOfPart(part),
    )
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
