import assert from 'node:assert/strict';
import { pathOf } from '../service/world.ts';
import { eachWithLife } from './life.ts';

describe('an unknown insert mode in the settings', () => {
  const suite = eachWithLife();

  const generate = async (
    insertMode: string,
    template?: { readonly insertMode?: string },
    inKeybinding?: string,
  ) => {
    const editor = suite.life.editor();
    editor.userSettings
      .set('insertMode', insertMode)
      .set('templates', [{ name: 'Review', prompt: 'Review this.', ...template }]);
    const given = template && { template: 'Review', insertMode: inKeybinding };
    await suite.opened.open(editor, suite.life.stores, (run) =>
      run('generateFromSelection', given),
    );
    const requests = suite.life.emulator.count(pathOf('chat', true));
    return { requests, notification: editor.textOf('notification') };
  };

  const warning = /Nothing was sent.*“previw” in hostedModel.insertMode.* below, .*Open Settings/s;

  it('is reported, and nothing is sent', async () => {
    const { requests, notification } = await generate('previw');
    assert.equal(requests, 0);
    assert.match(notification, warning);
  });

  it('is reported even if a template uses `replace`', async () => {
    const { requests, notification } = await generate('previw', { insertMode: 'replace' });
    assert.equal(requests, 0);
    assert.match(notification, warning);
  });

  it("isn't reported if the template or a keybinding names another insert mode", async () => {
    for (const { requests, notification } of [
      await generate('previw', { insertMode: 'clipboard' }),
      await generate('previw', {}, 'clipboard'),
    ]) {
      assert.ok(requests > 0);
      assert.doesNotMatch(notification, warning);
    }
  });
});
