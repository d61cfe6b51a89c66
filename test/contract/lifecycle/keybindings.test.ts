import assert from 'node:assert/strict';
import { pathOf } from '../service/world.ts';
import { eachWithLife } from './life.ts';

const chatPath = pathOf('chat', true);

describe('arguments in a keybinding for “Generate from selection”', () => {
  const suite = eachWithLife();

  const generate = async (given: unknown) => {
    const editor = suite.life.editor();
    editor.userSettings.set('templates', [
      { name: 'Review', prompt: `Review this: \${selection}`, insertMode: 'clipboard' },
      { name: 'Rework', prompt: `Rework this: \${selection}`, insertMode: 'newDocument' },
    ]);
    await suite.opened.open(editor, suite.life.stores, (run) =>
      run('generateFromSelection', given),
    );
    const prompts = suite.life.emulator.requests
      .filter(({ path }) => path === chatPath)
      .map(({ json }) => (json as { messages: { content: string }[] }).messages[0]?.content);
    const notification = editor.textOf('notification').trim();
    return { editor, prompts, notification };
  };

  it('set the insert mode', async () => {
    const { editor, prompts } = await generate({ insertMode: 'clipboard' });
    assert.deepEqual(prompts, [editor.text]);
    assert.match(editor.textOf('clipboard'), /^Hello from/);
  });

  it('select a template by name, regardless of case', async () => {
    const { editor, prompts } = await generate({ template: 'review' });
    assert.deepEqual(prompts, [`Review this: ${editor.text}`]);
    assert.match(editor.textOf('clipboard'), /^Hello from/);
  });

  it("override the template's insert mode", async () => {
    const { editor, prompts } = await generate({ template: 'Rework', insertMode: 'clipboard' });
    assert.deepEqual(prompts, [`Rework this: ${editor.text}`]);
    assert.match(editor.textOf('clipboard'), /^Hello from/);
  });

  const unknown: readonly [given: unknown, message: RegExp][] = [
    [{ template: 'Revue' }, /There’s no template named “Revue” for this document/],
    [{ template: 7 }, /“template” in the keybinding’s “args” must be a string\./],
    [{ template: null }, /“template” in the keybinding’s “args” must be a string\./],
    [{ insertMode: 'sideways' }, /no insert mode named “sideways”.* below, /],
    [{ insertMode: null }, /“insertMode” in the keybinding’s “args” must be a string\./],
    [{ template: 'Review', insertMode: 'toString' }, /no insert mode named “toString”/],
    ['Review', /The keybinding’s “args” must be an object, such as {"template": "Review"}\./],
    [['Review'], /The keybinding’s “args” must be an object, such as {"template": "Review"}\./],
    [7, /The keybinding’s “args” must be an object, such as {"template": "Review"}\./],
  ];
  for (const [given, message] of unknown) {
    it(`are rejected with a specific message if they are invalid: ${JSON.stringify(given)}`, async () => {
      const { prompts, notification } = await generate(given);
      assert.deepEqual(prompts, []);
      assert.match(notification, message);
    });
  }

  const ofContextMenu = { scheme: 'file', path: '/work/app/main.ts' };
  const ignored = [undefined, null, ofContextMenu, { url: 'http://127.0.0.1:1', key: 'a' }];
  for (const given of ignored) {
    it(`are ignored if they don't name a template or an insert mode: ${JSON.stringify(given)}`, async () => {
      const { editor, prompts } = await generate(given);
      assert.deepEqual(prompts, [editor.text]);
      assert.equal(editor.textOf('clipboard'), '');
    });
  }
});
