import assert from 'node:assert/strict';
import { commands, extensions, lm } from 'vscode';
import {
  assertUntouched,
  startUnapproved,
  type UnapprovedListener,
} from '../emulator/unapproved.ts';
import { extensionId } from '../extensionId.ts';

const extension = extensions.getExtension(extensionId);
assert.ok(extension);

describe('what other extensions can reach', () => {
  const names = extension.packageJSON.contributes.commands.map(
    ({ command }: { command: string }) => command,
  ) as string[];
  let evil: UnapprovedListener;
  before(async () => {
    evil = await startUnapproved();
    await extension.activate();
  });
  afterEach(() => commands.executeCommand('workbench.action.closeAllEditors'));

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
      let isOver = false;
      const result = Promise.resolve(commands.executeCommand(name, hostile, evil.secureUrl));
      const over = result.finally(() => (isOver = true));
      // What a command asks is closed until it is through, as somebody would who wants none of it.
      while (!isOver) {
        await commands.executeCommand('workbench.action.closeQuickOpen');
        await commands.executeCommand('notifications.clearAll');
        await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 50))]);
      }
      assert.equal(await result, undefined);
      assertUntouched(evil);
    });
  }
});
