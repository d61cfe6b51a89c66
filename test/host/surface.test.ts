import assert from 'node:assert/strict';
import { commands, extensions, lm } from 'vscode';
import {
  assertUntouched,
  startUnapproved,
  type UnapprovedListener,
} from '../emulator/unapproved.ts';
import { extensionId } from '../extensionId.ts';
import { closeTabs, closing } from './jobs.ts';

const extension = extensions.getExtension(extensionId);
assert.ok(extension);

describe('what other extensions can reach', () => {
  const names = extension.packageJSON.contributes.commands.map(
    ({ command }: { command: string }) => command,
  ) as string[];
  let evil: UnapprovedListener;
  before(async () => {
    await closeTabs();
    evil = await startUnapproved();
    await extension.activate();
  });
  afterEach(closeTabs);

  it('G01: is nothing: the exports are undefined', async () => {
    assert.equal(extension.isActive, true);
    assert.equal(extension.exports, undefined);
    assert.equal(await extension.activate(), undefined);
  });

  it('G14: is one tool, which is off, and no command beside the ones in the palette', async () => {
    const registered = (await commands.getCommands(true)).filter((name) =>
      /^hosted-?model/i.test(name),
    );
    assert.deepEqual(registered.sort(), names.sort());
    const tools = lm.tools.filter(({ name }) => /hosted/i.test(name));
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['hosted_model_generate'],
    );
    // Listed for everybody, though agents are not offered it.
    const call = { input: { prompt: 'Hello' }, toolInvocationToken: undefined };
    const { content } = await lm.invokeTool('hosted_model_generate', call);
    assert.match(JSON.stringify(content), /not_offered/);
  });

  for (const name of names) {
    it(`G04: is the command ${name}, which gives nothing back, whatever it is called with`, async () => {
      const hostile = { url: evil.secureUrl, apiKey: 'key', headers: { a: 'b' } };
      // What a command asks is closed until it is through, as somebody would who wants none of it.
      const closers = ['workbench.action.closeQuickOpen', 'notifications.clearAll'];
      const called = Promise.resolve(commands.executeCommand(name, hostile, evil.secureUrl));
      assert.equal(await closing(closers, called), undefined);
      assertUntouched(evil);
    });
  }
});
