import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Emulator } from '../emulator/emulator.ts';
import type { Workbench } from '../vscode/workbench.ts';
import { apiKey, openWindow, projectId, startService, statusId, storeKey } from './service.ts';

const moveKey = 'Hosted Model: Move API Key to Secret Storage';

describe('the .env file', () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startService();
  });
  after(() => emulator.close());
  beforeEach(() => emulator.reset());

  const envFile = (key = apiKey) =>
    `# mine\nIBM_API_KEY=${key}\nIBM_PROJECT_ID=${projectId}\nIBM_URL=${emulator.url}\n`;

  it('gives its key away to secret storage, by way of the set-up', async () => {
    const { workbench, path } = await openWindow(emulator, {
      folderFiles: { '.env': envFile() },
      userSettings: { 'hostedModel.projectId': '', 'hostedModel.url': '' },
    });
    const { quickInput, notifications } = workbench;
    await workbench.openFile(path('.env'));
    assert.equal(emulator.requests.length, 0, 'a file that is opened sends nothing');
    await workbench.runCommand(moveKey);
    await quickInput.waitFor({ step: '1/4', placeholder: /keep the key of the \.env file/ });
    assert.equal((await quickInput.state())?.value, '', 'the key itself is not shown');
    await quickInput.accept();
    await quickInput.waitFor({ step: '2/4' });
    assert.equal((await quickInput.state())?.value, projectId);
    await quickInput.accept();
    await quickInput.waitFor({ step: '3/4', item: emulator.url });
    await quickInput.accept();
    await quickInput.waitFor({ step: '4/4' });
    await quickInput.pick('$(beaker) Test and Save');
    await notifications.waitFor(/no longer in \.env/);
    assert.equal(readFileSync(path('.env'), 'utf8'), envFile().replace(/IBM_API_KEY.*\n/, ''));
    await workbench.statusItem(statusId).waitFor({ text: '$(key) Hosted Model' });
  });

  it('keeps its key as long as the stored one is not replaced', async () => {
    const session = await openWindow(emulator, {
      folderFiles: { '.env': envFile('key-of-somebody-else') },
    });
    const { workbench, path } = session;
    const { quickInput, dialogs } = workbench;
    await storeKey(session);
    await workbench.openFile(path('.env'));
    await workbench.runCommand(moveKey);
    for (const step of ['1/4', '2/4', '3/4']) {
      await quickInput.waitFor({ step });
      await quickInput.accept();
    }
    await quickInput.pick('$(save) Save Without Testing');
    await dialogs.waitFor('Replace the stored API key?');
    await dialogs.click('Cancel');
    await quickInput.waitFor({ step: '4/4' });
    await quickInput.dismiss();
    assert.equal(readFileSync(path('.env'), 'utf8'), envFile('key-of-somebody-else'));
  });

  it('is not read in a folder that is not trusted, and is once it is', async () => {
    const { workbench, path } = await openWindow(emulator, {
      folderFiles: { '.env': envFile('"quoted"') },
      trust: 'restricted',
    });
    await workbench.openFile(path('.env'));
    await workbench.runCommand(moveKey);
    await workbench.notifications.waitFor(/trusted workspace folder first/);
    assert.equal(await underlined(workbench), 0);
    await workbench.trustFolder();
    await workbench.openFile(path('.env'));
    await workbench.screen.until('a line to be underlined', async () =>
      (await underlined(workbench)) > 0 ? true : undefined,
    );
  });
});

function underlined({ page }: Workbench): Promise<number> {
  return page.evaluate<number>(`document.querySelectorAll('.squiggly-error').length`);
}
