import { strict as assert } from 'node:assert';
import { extensions } from 'vscode';

describe('The extension', () => {
  it('is found under its published name', () => {
    assert.notEqual(extensions.getExtension('hosted-model.hosted-model'), undefined);
  });

  it('activates', async () => {
    await extensions.getExtension('hosted-model.hosted-model')?.activate();
    assert.equal(extensions.getExtension('hosted-model.hosted-model')?.isActive, true);
  });
});
