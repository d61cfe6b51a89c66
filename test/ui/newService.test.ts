import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { answerFor } from '../emulator/text.ts';
import {
  apiKey,
  chatPath,
  generate,
  generateFrom,
  openWindow,
  startService,
  statusId,
  storeKey,
} from './service.ts';
import { nightly, openWorkbench, type Session } from './session.ts';

/** Adds a service in a fresh profile, and then generates text with it. */

interface Answer {
  /** The prompt or item that must be visible before the input. */
  readonly expected: Parameters<Walk['answer']>[0];
  readonly text?: string;
}

/** Counts user inputs, and takes a screenshot before each one during setup. */
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
 * Runs the command that generates text, adds a service during setup, and waits for the generated
 * text in the document. Uses only the keyboard.
 * @param answers the inputs between the address and the approval
 * @returns the number of inputs and the session
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
  await steps.answer({ item: model }, 'h-small');
  await workbench.editor.waitForText(`Write a reply.\n${answerFor('Write a reply.')}\n`);
  await workbench.screenshot(`${name}-generated`);
  console.info(`    ${name}: ${steps.inputs} inputs from a fresh profile to generated text`);
  return { inputs: steps.inputs, session };
}

/** Starts adding a service, and stops at the list of authentication methods. */
async function enterAddress({ workbench }: Session, emulator: Emulator): Promise<void> {
  const { quickInput } = workbench;
  await workbench.runCommand('Hosted Model: Set Up...');
  await quickInput.pick('$(add) Add a Service...');
  await quickInput.pick('OpenAI-Compatible');
  await quickInput.waitFor({ prompt: /^Address of the service/ });
  await quickInput.type(`${emulator.url}/v1`);
  await quickInput.accept();
}

async function addService(session: Session, emulator: Emulator, key: string): Promise<void> {
  const { workbench } = session;
  const { quickInput } = workbench;
  await enterAddress(session, emulator);
  await quickInput.pick('API Key');
  await quickInput.waitFor({ prompt: /^API key for /, password: true });
  await quickInput.type(key);
  await quickInput.accept();
  await quickInput.pick('$(beaker) Test and Save');
  await quickInput.pick(model);
  await workbench.notifications.close(/is set up/);
}

const authMethod = (item: string): Answer => ({ expected: { item }, text: item });

describe('a service that the user adds', () => {
  const key = 'sk-1234';
  let emulator: Emulator;
  afterEach(() => emulator.close());

  it('needs at most 8 user actions before it generates text (API key)', async () => {
    emulator = await startEmulator({ apiKeys: [key], keyHeader: 'authorization' });
    const { inputs, session } = await walk(emulator, 'add-key', [
      authMethod('API Key'),
      { expected: { prompt: /^API key for / }, text: key },
    ]);
    assert.ok(inputs <= 8);
    await session.workbench.statusItem(statusId).waitFor({ text: /^\$\(key\) Hosted Model$/ });
    const paths = emulator.requests.map(({ path }) => path);
    assert.deepEqual(paths, ['/v1/models', '/v1/models', '/v1/chat/completions']);
  });

  it(`with a token command generates text after at most 8 user actions ${nightly}`, async () => {
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
      authMethod('Command'),
      {
        expected: { prompt: /^Command that prints a token/ },
        text: `"${process.execPath}" "${program}"`,
      },
    ]);
    assert.ok(inputs <= 8);
    assert.equal(readFileSync(runs, 'utf8'), '.');
  });
});

describe(`a service that the user is adding ${nightly}`, () => {
  let emulator: Emulator;
  afterEach(() => emulator.close());

  it('can be given a different authentication method after its key is rejected', async () => {
    emulator = await startEmulator({ apiKeys: [apiKey], keyHeader: 'x-api-key' });
    const session = await openWorkbench();
    const { quickInput, notifications } = session.workbench;
    const enterCorrectKey = async () => {
      await quickInput.waitFor({ prompt: /^API key for /, password: true });
      await quickInput.type(apiKey);
      await quickInput.accept();
    };
    await enterAddress(session, emulator);
    await quickInput.pick('API Key');
    await enterCorrectKey();
    await quickInput.pick('$(beaker) Test and Save');
    await quickInput.waitFor({ validation: /rejected the key/ });
    await quickInput.clickButton('Back');
    await quickInput.waitFor({ step: '4/6', item: 'API Key' });
    await quickInput.pick('API Key in a Header');
    await quickInput.pick('x-api-key');
    await enterCorrectKey();
    await quickInput.clickButton('Back');
    await quickInput.waitFor({ step: '6/7' });
    await quickInput.clickButton('Back');
    await quickInput.waitFor({ step: '5/7', item: 'x-api-key' });
    await quickInput.accept();
    await enterCorrectKey();
    await quickInput.pick('$(beaker) Test and Save');
    await quickInput.pick(model);
    await notifications.waitFor(/is set up/);
  });
});

describe(`two services in one profile ${nightly}`, () => {
  const key = 'sk-of-the-gateway';
  let own: Emulator;
  let gateway: Emulator;
  beforeEach(async () => {
    [own, gateway] = await Promise.all([
      startService(),
      startEmulator({ apiKeys: [key], keyHeader: 'authorization' }),
    ]);
  });
  afterEach(() => Promise.all([own.close(), gateway.close()]));

  it("can each be used for selections, and never receive each other's keys", async () => {
    const session = await openWindow(own, { folderFiles: { 'a.txt': 'Write a reply.\n' } });
    const { workbench } = session;
    const { quickInput, notifications } = workbench;
    await storeKey(session);
    await addService(session, gateway, key);
    const { host, port } = new URL(gateway.url);
    const name = `${host.replace(`:${port}`, '')} (${port})`;
    await generateFrom(session);
    await gateway.requestCount('/v1/chat/completions', 1);

    await workbench.runCommand('Hosted Model: Select Model...');
    await quickInput.waitFor({ item: 'granite-4-h-small' });
    await workbench.screenshot('two-services-models');
    await quickInput.dismiss();
    await workbench.runCommand('Hosted Model: Show Status and Actions');
    await workbench.screenshot('two-services-menu');
    await quickInput.pick('$(arrow-swap) Use IBM watsonx.ai for Selections');
    await notifications.close(/IBM watsonx.ai is now used for selections/);
    await generateFrom(session);
    await own.requestCount(chatPath, 1);

    await workbench.runCommand('Hosted Model: Show Status and Actions');
    await quickInput.pick(`$(arrow-swap) Use ${name} for Selections`);
    await notifications.close(/is now used for selections/);
    await generateFrom(session);
    await gateway.requestCount('/v1/chat/completions', 2);
    assert.ok(!JSON.stringify(own.requests).includes(key), 'the key of the gateway');
    assert.ok(!JSON.stringify(gateway.requests).includes(apiKey), 'the key of the service');
  });

  it('can be renamed without a new approval, and removed independently', async () => {
    const session = await openWindow(own, { folderFiles: { 'a.txt': 'Write a reply.\n' } });
    const { workbench } = session;
    const { quickInput, notifications, dialogs } = workbench;
    await storeKey(session);
    await addService(session, gateway, key);
    const manage = async (service: string, action: string) => {
      await workbench.runCommand('Hosted Model: Set Up...');
      await quickInput.pick(service);
      await workbench.screenshot(`manage-${action.replace(/\W/g, '')}`);
      await quickInput.pick(action);
    };
    const { port } = new URL(gateway.url);
    await manage(`127.0.0.1 (${port})`, '$(edit) Rename...');
    await quickInput.waitFor({ prompt: /^Service name/ });
    await quickInput.type('Our gateway');
    await quickInput.accept();
    await notifications.close(/is now called Our gateway/);
    await generateFrom(session);
    await gateway.requestCount('/v1/chat/completions', 1);
    assert.equal(await dialogs.state(), undefined, 'no new approval');

    await manage('Our gateway', '$(trash) Remove...');
    await dialogs.click('Remove');
    await notifications.close(/Our gateway was removed/);
    await generateFrom(session);
    await own.requestCount(chatPath, 1);
  });
});
