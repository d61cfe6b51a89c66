import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ApplicationSetting } from '../../applicationSettings.ts';
import { type Emulator, startEmulator } from '../../emulator/emulator.ts';
import {
  assertUntouched,
  startUnapproved,
  type UnapprovedListener,
} from '../../emulator/unapproved.ts';
import {
  apiKey,
  chatPath,
  generateFrom,
  openWindow,
  projectId,
  statusId,
  storeKey,
} from '../service.ts';
import { nightly } from '../session.ts';

describe(`settings ${nightly}`, () => {
  let emulator: Emulator;
  let evil: UnapprovedListener;
  beforeEach(async () => {
    const projectIds = [projectId, 'folder-project', 'workspace-project'];
    emulator = await startEmulator({ apiKeys: [apiKey], projectIds });
    evil = await startUnapproved();
  });
  afterEach(async () => {
    await emulator.close();
    assertUntouched(evil);
  });

  /**
   * Returns a hostile value for each setting with `application` scope. Prefer values that would
   * make the tests below fail if they took effect. These tests generate from one selection at a
   * time. To test an effect on several selections, add a test that uses `selectEachLine`. `npm
   * test` skips this file, so run the file yourself after each change.
   */
  const hostileValues = (): Readonly<Record<`hostedModel.${ApplicationSetting}`, unknown>> => ({
    'hostedModel.url': evil.url,
    'hostedModel.authUrl': evil.url,
    'hostedModel.service': 'evil',
    'hostedModel.services': [
      ...['evil', 'ibm'].map((word) => ({
        word,
        authentication: { kind: 'clientCredentials', tokenUrl: `${evil.url}/token` },
        api: 'openai',
        defaultModel: 'evil',
      })),
    ],
    'hostedModel.maxConcurrentRequests': 8,
    'hostedModel.minRequestInterval': 60_000,
    'hostedModel.dailyTokenBudget': 1,
    'hostedModel.offerTool': true,
  });
  /**
   * Returns the hostile values together with a project ID and an API key. Repeats them in
   * language-specific sections.
   */
  const hostile = (project: string) => {
    const steering = {
      ...hostileValues(),
      'hostedModel.projectId': project,
      'hostedModel.apiKey': 'planted-key-0123456789',
    };
    return { ...steering, '[python]': steering, '[plaintext]': steering };
  };
  /**
   * A `.env` file that contains complete credentials only for the service in the hostile settings.
   */
  const hostileEnvFile = () =>
    `EVIL_CLIENT_ID=planted\nEVIL_CLIENT_SECRET=planted-secret-0123456789\nEVIL_URL=${evil.url}\n`;
  const text = (settings: object) => JSON.stringify(settings);
  const projectOf = async (n: number) => {
    const request = await emulator.requestCount(chatPath, n);
    return (request.json as { project_id: string }).project_id;
  };

  describe('in a trusted folder', () => {
    it('A14 B01 B04 G06: can change the project, but not the service, key, or hosts', async () => {
      const session = await openWindow(emulator, {
        folderFiles: {
          'a.py': 'Write a reply.\n',
          '.vscode/settings.json': text(hostile('folder-project')),
          '.env': hostileEnvFile(),
        },
        trust: 'restricted',
      });
      const { workbench } = session;
      await storeKey(session);
      await generateFrom(session, 'a.py');
      assert.equal(await projectOf(1), projectId);
      assert.equal(await workbench.dialogs.state(), undefined);

      await workbench.trustFolder();
      await generateFrom(session, 'a.py');
      assert.equal(await projectOf(2), 'folder-project');
      assert.equal(await workbench.dialogs.state(), undefined);
    });
  });

  describe('in a folder', () => {
    it('A14: can specify a valid project ID, but not a malformed one', async () => {
      const session = await openWindow(emulator, {
        folderFiles: {
          'a.txt': 'Write a reply.\n',
          '.vscode/settings.json': text({ 'hostedModel.projectId': 'folder-project' }),
        },
      });
      const { workbench, path } = session;
      await storeKey(session);
      await generateFrom(session);
      assert.equal(await projectOf(1), 'folder-project');
      const item = workbench.statusItem(statusId);
      await item.waitForTooltip('folder-project (from workspace or remote settings)');
      await writeFile(
        path('.vscode/settings.json'),
        text({ 'hostedModel.projectId': 'my project' }),
      );
      const other = await session.anotherWindow();
      await generateFrom(session, 'a.txt', other);
      await other.notifications.waitFor(/project ID in the workspace or remote settings can’t/);
      assert.equal(emulator.count(chatPath), 1);
    });
  });

  describe('in a workspace file', () => {
    it('A14 B03: can change the project, but not the service, key, or hosts', async () => {
      const session = await openWindow(emulator, {
        folderFiles: {
          'one/a.txt': 'Write a reply.\n',
          'one/.vscode/settings.json': text(hostile('folder-project')),
          'one/.env': hostileEnvFile(),
          'two/a.txt': 'Write a reply.\n',
          'all.code-workspace': text({
            folders: [{ path: 'one' }, { path: 'two' }],
            settings: hostile('workspace-project'),
          }),
        },
      });
      await storeKey(session);
      const window = await session.anotherWindow(session.path('all.code-workspace'));
      await window.waitForFolder('one');
      await generateFrom(session, 'one/a.txt', window);
      assert.equal(await projectOf(1), 'folder-project');
      await generateFrom(session, 'two/a.txt', window);
      assert.equal(await projectOf(2), 'workspace-project');
      assert.equal(await window.dialogs.state(), undefined);
    });
  });

  it("B03: can't inject a link into a message via a workspace folder's name", async () => {
    const name = '[Repair](command:workbench.action.showCommands)';
    const session = await openWindow(emulator, {
      folderFiles: {
        'one/a.txt': 'Write a reply.\n',
        'one/.env': '\u202eIBM_API_KEY=x\n',
        'all.code-workspace': text({ folders: [{ path: 'one', name }] }),
      },
    });
    const window = await session.anotherWindow(session.path('all.code-workspace'));
    await window.waitForFolder(name);
    await generateFrom(session, 'one/a.txt', window);
    await window.quickInput.waitFor({ step: /^1\//, prompt: /needs an API key/ });
    await window.quickInput.dismiss();
    const message = await window.notifications.waitFor(/needs an API key/);
    assert.doesNotMatch(message.text, /Repair|\u202e/);
    assert.equal(await window.page.locator('.notification-list-item-message a').count(), 0);
  });

  describe('on a remote machine', () => {
    it('A14 B25: can change the project and insert mode, but not the service, key, or hosts', async () => {
      const session = await openWindow(emulator, { folderFiles: { 'a.txt': 'Write a reply.\n' } });
      // Stores the key first. Otherwise, setup would write its settings to the machine settings file,
      // which is created below.
      await storeKey(session);
      const file = join(session.server.dataDirectory, 'data', 'Machine', 'settings.json');
      await mkdir(dirname(file), { recursive: true });
      const insertMode = { 'hostedModel.insertMode': 'replace' };
      await writeFile(file, text({ ...hostile('folder-project'), ...insertMode }));
      try {
        const window = await session.anotherWindow();
        await generateFrom(session, 'a.txt', window);
        assert.equal(await projectOf(1), 'folder-project');
        await window.editor.waitForText(/^Hello from the emulated model!/);
        assert.equal(await window.dialogs.state(), undefined);
      } finally {
        await rm(file);
      }
    });
  });
});
