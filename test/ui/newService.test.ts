import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { answerFor } from '../emulator/text.ts';
import { generate, statusId } from './service.ts';
import { nightly, openWorkbench } from './session.ts';

/** From a fresh profile to generated text with a service of one's own, by typing only. */

interface Answer {
  /** What the question must show before it's answered. */
  readonly expected: Parameters<Walk['answer']>[0];
  readonly text?: string;
}

/** Counts what a user enters, and takes a picture before each input. */
class Walk {
  inputs = 0;
  readonly #session: Awaited<ReturnType<typeof openWorkbench>>;
  readonly #name: string;

  constructor(session: Awaited<ReturnType<typeof openWorkbench>>, name: string) {
    this.#session = session;
    this.#name = name;
  }

  async answer(
    expected: { readonly prompt?: RegExp; readonly item?: string },
    text?: string,
  ): Promise<void> {
    const { workbench } = this.#session;
    await workbench.quickInput.waitFor(expected);
    await workbench.screenshot(`${this.#name}-${this.inputs + 1}`);
    if (text !== undefined) await workbench.quickInput.type(text);
    await workbench.quickInput.accept();
    this.inputs += 1;
  }
}

const model = 'ibm/granite-4-h-small';

/**
 * Starts with the command that generates, and ends with its text in the document.
 * @param answers between the address and the approval
 * @returns the number of inputs
 */
async function walk(
  emulator: Emulator,
  name: string,
  answers: readonly Answer[],
): Promise<{
  readonly inputs: number;
  readonly session: Awaited<ReturnType<typeof openWorkbench>>;
}> {
  const session = await openWorkbench({ folderFiles: { 'letter.txt': 'Write a reply.\n' } });
  const { workbench, path } = session;
  await workbench.openFile(path('letter.txt'));
  await workbench.editor.selectLines(1);
  const steps = new Walk(session, name);
  await workbench.runCommand(generate);
  steps.inputs += 1;
  await steps.answer({ item: '$(add) Add a Service...' }, 'Add a Service');
  await steps.answer({ item: 'OpenAI-Compatible' });
  await steps.answer({ prompt: /^Address of the service/ }, `${emulator.url}/v1/chat/completions`);
  for (const { expected, text } of answers) await steps.answer(expected, text);
  await steps.answer({ item: '$(beaker) Test and Save' });
  await steps.answer({ item: model }, model);
  await workbench.editor.waitForText(`Write a reply.\n${answerFor('Write a reply.')}\n`);
  await workbench.screenshot(`${name}-generated`);
  console.info(`    ${name}: ${steps.inputs} inputs from a fresh profile to generated text`);
  return { inputs: steps.inputs, session };
}

const login = (item: string): Answer => ({ expected: { item }, text: item });

describe('a service that the user adds', () => {
  const key = 'sk-1234';
  let emulator: Emulator;
  afterEach(() => emulator.close());

  it('generates after at most 8 inputs, with an API key', async () => {
    emulator = await startEmulator({ apiKeys: [key], keyHeader: 'authorization' });
    const { inputs, session } = await walk(emulator, 'add-key', [
      login('API Key'),
      { expected: { prompt: /^API key of / }, text: key },
    ]);
    assert.ok(inputs <= 8);
    await session.workbench.statusItem(statusId).waitFor({ text: /^\$\(key\) Hosted Model$/ });
    const paths = emulator.requests.map(({ path }) => path);
    assert.deepEqual(paths, ['/v1/models', '/v1/models', '/v1/chat/completions']);
  });

  it(`generates after at most 8 inputs, with a command ${nightly}`, async () => {
    emulator = await startEmulator();
    const folder = mkdtempSync(join(tmpdir(), 'token-command-'));
    const [program, runs] = [join(folder, 'token.mjs'), join(folder, 'runs')];
    writeFileSync(
      program,
      [
        "import { appendFileSync } from 'node:fs';",
        `appendFileSync(${JSON.stringify(runs)}, '.');`,
        `const response = await fetch('${emulator.url}/identity/token', {`,
        "  method: 'POST',",
        `  body: new URLSearchParams({ grant_type: 'urn:ibm:params:oauth:grant-type:apikey', apikey: '${emulator.settings.apiKeys[0]}' }),`,
        '});',
        'console.log(await response.text());',
      ].join('\n'),
    );
    const { inputs } = await walk(emulator, 'add-command', [
      login('Command'),
      {
        expected: { prompt: /^Command that prints a token/ },
        text: `"${process.execPath}" "${program}"`,
      },
    ]);
    assert.ok(inputs <= 8);
    assert.equal(readFileSync(runs, 'utf8'), '.');
  });
});
