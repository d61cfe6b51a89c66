import assert from 'node:assert/strict';
import { pathOf } from '../service/world.ts';
import { eachWithLife } from './life.ts';

describe('an unknown insert mode in the settings', () => {
  const suite = eachWithLife();

  const generate = async (insertMode: unknown, template?: { readonly insertMode?: string }) => {
    const editor = suite.life.editor();
    editor.userSettings
      .set('insertMode', insertMode)
      .set('templates', [{ name: 'Review', prompt: 'Review this.', ...template }]);
    const given = template && { template: 'Review' };
    await suite.opened.open(editor, suite.life.stores, (run) =>
      run('generateFromSelection', given),
    );
    const requests = suite.life.emulator.count(pathOf('chat', true));
    return { requests, notification: editor.textOf('notification') };
  };

  const warning = /no insert mode named “previw”.* below, after, above, .*Open Settings/s;

  it('is reported, and nothing is sent', async () => {
    const { requests, notification } = await generate('previw');
    assert.equal(requests, 0);
    assert.match(notification, warning);
  });

  it("is reported if the template doesn't name an insert mode", async () => {
    const { requests, notification } = await generate('previw', {});
    assert.equal(requests, 0);
    assert.match(notification, warning);
  });

  it("isn't reported if the template names an insert mode", async () => {
    const { requests, notification } = await generate('previw', { insertMode: 'clipboard' });
    assert.equal(requests, 1);
    assert.doesNotMatch(notification, warning);
  });
});
