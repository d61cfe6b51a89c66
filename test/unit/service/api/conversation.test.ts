import assert from 'node:assert/strict';
import { apiOf } from '../../../../src/service/api/apis.ts';
import type { ChatMessage, Conversation } from '../../../../src/service/api/conversation.ts';
import {
  chatParts,
  conversationText,
  inputTexts,
  transcript,
} from '../../../../src/service/api/conversationFormats.ts';
import type { Operation } from '../../../../src/service/apiCapabilities.ts';
import { credentials, ibm } from '../fixtures.ts';

const messages: readonly ChatMessage[] = [
  { role: 'system', content: [{ text: 'Be brief.' }] },
  { role: 'user', content: [{ text: 'Look at ' }, { text: 'this.' }] },
  {
    role: 'user',
    content: [{ text: 'A cat?' }, { image: Uint8Array.of(1, 2), mimeType: 'image/png' }],
  },
  {
    role: 'assistant',
    text: 'I look.',
    toolCalls: [{ id: '7', name: 'read', arguments: '{"a":1}' }],
  },
  { role: 'assistant', text: '', toolCalls: [{ id: '8', name: 'list', arguments: '{}' }] },
  { role: 'tool', callId: '7', text: 'one' },
  { role: 'tool', callId: '8', text: 'two' },
];
const tools = [
  { name: 'read', description: 'Reads.', inputSchema: { type: 'object', required: ['a'] } },
  { name: 'list', description: 'Lists.', inputSchema: undefined },
];
const conversationOf = (facts: Partial<Conversation> = {}): Conversation => ({
  messages,
  tools: [],
  toolChoice: 'auto',
  ...facts,
});

const fieldsOf = (operation: Operation, conversation: Conversation) =>
  operation === 'generation'
    ? { input: transcript(conversation.messages) }
    : apiOf(ibm).conversation(chatParts(conversation), credentials);

describe('a conversation', () => {
  it('is sent to the chat operation with images, tool calls, and tool results', () => {
    const call = (id: string, name: string, given: string) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    });
    assert.deepEqual(fieldsOf('chat', conversationOf()), {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Look at this.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'A cat?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AQI=' } },
          ],
        },
        { role: 'assistant', content: 'I look.', tool_calls: [call('7', 'read', '{"a":1}')] },
        { role: 'assistant', tool_calls: [call('8', 'list', '{}')] },
        { role: 'tool', tool_call_id: '7', content: 'one' },
        { role: 'tool', tool_call_id: '8', content: 'two' },
      ],
    });
  });

  for (const toolChoice of ['auto', 'required'] as const) {
    it(`is sent with its tools and the tool choice ${toolChoice}`, () => {
      const fields = fieldsOf('chat', conversationOf({ tools, toolChoice }));
      assert.deepEqual(fields['tools'], [
        {
          type: 'function',
          function: {
            name: 'read',
            description: 'Reads.',
            parameters: { type: 'object', required: ['a'] },
          },
        },
        {
          type: 'function',
          function: {
            name: 'list',
            description: 'Lists.',
            parameters: { type: 'object', properties: {} },
          },
        },
      ]);
      assert.equal(fields['tool_choice_option'], toolChoice);
    });
  }

  it('is sent to the generation operation as text with role labels', () => {
    const { input } = fieldsOf('generation', conversationOf({ tools }));
    assert.equal(
      input,
      'system: Be brief.\n\nuser: Look at this.\n\nuser: A cat?\n\nassistant: I look.\n\nassistant: \n\ntool: one\n\ntool: two\n\nassistant:',
    );
  });

  it('is converted to text that includes its tools, but not its images', () => {
    const picture = { image: new Uint8Array(90_000), mimeType: 'image/png' };
    const seen: ChatMessage = { role: 'user', content: [{ text: 'A cat?' }, picture] };
    const text = conversationText(conversationOf({ messages: [seen], tools }));
    assert.ok(text.length < 500 && text.includes('A cat?') && text.includes('Reads.'), text);
  });

  it("excludes the model's messages from its inputs", () => {
    assert.deepEqual(inputTexts(messages), ['Be brief.', 'Look at this.', 'A cat?', 'one', 'two']);
  });
});
