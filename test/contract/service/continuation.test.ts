import assert from 'node:assert/strict';
import type { Operation } from '../../../src/service/apiCapabilities.ts';
import type { Client } from '../../../src/service/client.ts';
import { answerFor } from '../../emulator/text.ts';
import { endWorlds, pathOf, startWorld } from './world.ts';

const prompt = 'Write a haiku about 漢字 and 😀.';
const operations: readonly Operation[] = ['chat', 'generation'];

/** Generates a response in parts of at most `tokens` tokens. */
async function inParts(client: Client, tokens: number, streams: boolean): Promise<string[]> {
  const parts: string[] = [];
  for (let stopReason = 'max_tokens'; stopReason === 'max_tokens'; ) {
    const responseSoFar = parts.join('');
    const streamed: string[] = [];
    const onText = (text: string) => void streamed.push(text);
    const options = { responseSoFar, ...(streams && { onText }) };
    const set = { max_new_tokens: tokens };
    const generation = await client.generateText(prompt, set, options);
    if (streams) assert.equal(streamed.join(''), generation.text);
    parts.push(generation.text);
    ({ stopReason } = generation);
  }
  return parts;
}

describe('a truncated response', () => {
  afterEach(endWorlds);

  for (const operation of operations) {
    for (const streams of [false, true]) {
      const path = pathOf(operation, streams);

      it(`can be continued until it matches the complete response byte for byte: ${path}`, async () => {
        for (const tokens of [1, 7, 10_000]) {
          const { client } = await startWorld({ operation });
          const parts = await inParts(client, tokens, streams);
          assert.equal(parts.join(''), answerFor(prompt));
          assert.equal(parts.length > 1, tokens < 10_000);
        }
      });
    }
  }

  it('keeps the spaces and line breaks at the point of truncation', async () => {
    const answer = () => ['a ', ' \n', '\r\n\t', 'b', '  '];
    for (const operation of operations) {
      const { client } = await startWorld({ operation, emulator: { answer } });
      assert.equal((await inParts(client, 1, true)).join(''), answer().join(''));
    }
  });

  it('is sent in chat as an assistant message before a prompt to continue', async () => {
    const { client, emulator } = await startWorld();
    await client.generateText(prompt, {}, { responseSoFar: 'Old pond\n' });
    const { messages } = JSON.parse(emulator.requests.at(-1)?.text ?? '');
    assert.deepEqual(messages, [
      { role: 'user', content: prompt },
      { role: 'assistant', content: 'Old pond\n' },
      {
        role: 'user',
        content:
          'Continue exactly where your response stopped. Don’t repeat anything or add an introduction.',
      },
    ]);
  });

  it('is appended directly to the prompt for the generation operation', async () => {
    const { client, emulator } = await startWorld({ operation: 'generation' });
    await client.generateText(prompt, {}, { responseSoFar: 'Old pond\n' });
    assert.equal(JSON.parse(emulator.requests.at(-1)?.text ?? '').input, `${prompt}Old pond\n`);
  });
});
