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

  const used = ['ibm/granite-4-h-small'];
  const warning = /The model ID in the settings is invalid.*Select Model\.\.\./s;

  it('is reported when the default model is used instead', async () => {
    const { models, notification } = await generate();
    assert.deepEqual(models, used);
    assert.match(notification, warning);
  });

  it("is reported if the template doesn't name a model", async () => {
    const { models, notification } = await generate({});
    assert.deepEqual(models, used);
    assert.match(notification, warning);
  });

  it('is not reported if the template names a model', async () => {
    const { models, notification } = await generate({ model: 'ibm/granite-4-h-tiny' });
    assert.deepEqual(models, ['ibm/granite-4-h-tiny']);
    assert.doesNotMatch(notification, warning);
  });
});
