import { strict as assert } from 'node:assert';
import { extensions } from 'vscode';
import { extensionId } from '../extensionId.ts';

describe('the extension', () => {
  it('is found under its published ID', () => {
    assert.notEqual(extensions.getExtension(extensionId), undefined);
  });

  it('activates', async () => {
    await extensions.getExtension(extensionId)?.activate();
    assert.equal(extensions.getExtension(extensionId)?.isActive, true);
  });
});
