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

describe('the activated extension', () => {
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

  it("G01: doesn't export anything", async () => {
    assert.equal(extension.isActive, true);
    assert.equal(extension.exports, undefined);
    assert.equal(await extension.activate(), undefined);
  });

  it("G14: registers only the manifest's commands and one tool, which is off by default", async () => {
    const registered = (await commands.getCommands(true)).filter((name) =>
      /^hosted-?model/i.test(name),
    );
    assert.deepEqual(registered.sort(), names.sort());
    const tools = lm.tools.filter(({ name }) => /hosted/i.test(name));
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['hosted_model_generate'],
    );
    // All extensions can call the tool, although it isn't offered to agents.
    const call = { input: { prompt: 'Hello' }, toolInvocationToken: undefined };
    const { content } = await lm.invokeTool('hosted_model_generate', call);
    assert.match(JSON.stringify(content), /not_offered/);
  });

  for (const name of names) {
    it(`G04: has the ${name} command, which ignores hostile arguments and returns nothing`, async () => {
      const hostile = { url: evil.secureUrl, apiKey: 'key', headers: { a: 'b' } };
      // These commands dismiss all inputs and messages while the command under test runs.
      const closers = ['workbench.action.closeQuickOpen', 'notifications.clearAll'];
      const called = Promise.resolve(commands.executeCommand(name, hostile, evil.secureUrl));
      assert.equal(await closing(closers, called), undefined);
      assertUntouched(evil);
    });
  }
});
