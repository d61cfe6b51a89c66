import assert from 'node:assert/strict';
import { pathOf } from '../service/world.ts';
import { eachWithLife } from './life.ts';

const chatPath = pathOf('chat', true);

describe('an invalid model ID in the settings', () => {
  const suite = eachWithLife();

  const generate = async (template?: { readonly model?: string }) => {
    const editor = suite.life.editor();
    editor.userSettings.set('modelId', 'ibm/granite 4');
    const prompt = `Review this: \${selection}`;
    editor.userSettings.set('templates', [{ name: 'Review', prompt, ...template }]);
    const given = template && { template: 'Review' };
    await suite.opened.open(editor, suite.life.stores, (run) =>
      run('generateFromSelection', given),
    );
    const models = suite.life.emulator.requests
      .filter(({ path }) => path === chatPath)
      .map(({ json }) => (json as { model_id: string }).model_id);
    return { models, notification: editor.textOf('notification') };
  };

  it('is reported, and no other model generates the text', async () => {
    const { models, notification } = await generate();
    assert.deepEqual(models, []);
    assert.match(notification, /Nothing was sent, because the model ID .* is invalid/);
    assert.match(notification, /Select Model\.\.\./);
  });

  it('is reported for a template without a model', async () => {
    assert.deepEqual((await generate({})).models, []);
  });

  it('is ignored if the template names a model', async () => {
    const model = 'ibm/granite-4-h-small';
    assert.deepEqual((await generate({ model })).models, [model]);
  });
});
