import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

const question = 'Use the project ID from the settings of this folder or remote machine?';

describe(`settings that are not the user’s own ${nightly}`, () => {
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

  /** Everything that could steer a request, also where a setting for one language would stand. */
  const hostile = (project: string) => {
    const steering = {
      'hostedModel.url': evil.url,
      'hostedModel.authUrl': evil.url,
      'hostedModel.vendor': 'evil',
      'hostedModel.vendors': [
        ...['evil', 'ibm'].map((word) => ({
          word,
          way: { kind: 'clientCredentials', tokenUrl: `${evil.url}/token` },
          dialect: 'openAi',
          defaultModel: 'evil',
        })),
      ],
      'hostedModel.projectId': project,
      'hostedModel.maxConcurrentRequests': 8,
      'hostedModel.minRequestInterval': 60_000,
      'hostedModel.keepTokenFresh': false,
      'hostedModel.dailyTokenBudget': 1,
      'hostedModel.offerTool': true,
      'hostedModel.apiKey': 'planted-key-0123456789',
    };
    return { ...steering, '[python]': steering, '[plaintext]': steering };
  };
  /** Complete for the service that those settings describe, and for no other one. */
  const hostileEnvFile = () =>
    `EVIL_CLIENT_ID=planted\nEVIL_CLIENT_SECRET=planted-secret-0123456789\nEVIL_URL=${evil.url}\n`;
  const text = (settings: object) => JSON.stringify(settings);
  const projectOf = async (n: number) => {
    const request = await emulator.requestCount(chatPath, n);
    return (request.json as { project_id: string }).project_id;
  };

  it('B01 B04 G06: of a folder steer nothing, restricted or trusted; its project is asked about once', async () => {
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
    const dialog = await workbench.dialogs.waitFor(question);
    assert.match(
      dialog.detail,
      new RegExp(`Folder: ${session.folder}.*Project ID: folder-project`),
    );
    await workbench.screenshot('project-approval');
    await workbench.statusItem(statusId).waitFor({ ariaLabel: /your approval is needed/ });
    await workbench.page.keyboard.press('Escape');
    await generateFrom(session, 'a.py');
    await workbench.dialogs.waitFor(question);
    assert.equal(emulator.count(chatPath), 1, 'closing the question ends the command');
    await workbench.page.keyboard.press('Enter');
    assert.equal(await projectOf(2), projectId);
    for (const round of [3, 4]) {
      await generateFrom(session, 'a.py');
      assert.equal(await projectOf(round), projectId);
    }
  });

  it('B01: of a folder may name a project, once the user agrees', async () => {
    const session = await openWindow(emulator, {
      folderFiles: {
        'a.txt': 'Write a reply.\n',
        '.vscode/settings.json': text({ 'hostedModel.projectId': 'folder-project' }),
      },
    });
    const { workbench, path } = session;
    await storeKey(session);
    await generateFrom(session);
    await workbench.dialogs.click("Use the Folder's Project");
    assert.equal(await projectOf(1), 'folder-project');
    const other = await session.anotherWindow();
    await generateFrom(session, 'a.txt', other);
    assert.equal(await projectOf(2), 'folder-project');
    await writeFile(
      path('.vscode/settings.json'),
      text({ 'hostedModel.projectId': 'workspace-project' }),
    );
    const third = await session.anotherWindow();
    await generateFrom(session, 'a.txt', third);
    assert.match((await third.dialogs.waitFor(question)).detail, /Project ID: workspace-project/);
  });

  it('B03: of a workspace file steer nothing, and each folder is asked about for itself', async () => {
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
    const { dialogs } = window;
    await window.runCommand('Hosted Model: Refresh Token');
    const ofNone = await dialogs.waitFor(question);
    assert.match(ofNone.detail, /Folder: \S+\/all\.code-workspace\s*Project ID: workspace-project/);
    assert.equal(emulator.requests.length, 0);
    await window.page.keyboard.press('Enter');
    await window.notifications.waitFor(/new token is in use/);

    await generateFrom(session, 'one/a.txt', window);
    const ofOne = await dialogs.waitFor(question);
    assert.match(ofOne.detail, /Folder: \S+\/one\s*Project ID: folder-project/);
    await dialogs.click('Use My Project');
    assert.equal(await projectOf(1), projectId);

    await generateFrom(session, 'two/a.txt', window);
    const ofTwo = await dialogs.waitFor(question);
    assert.match(ofTwo.detail, /Folder: \S+\/two\s*Project ID: workspace-project/);
    await dialogs.click("Use the Folder's Project");
    assert.equal(await projectOf(2), 'workspace-project');
  });

  it('B03: of a workspace file name folders as they like, but put no link into a message', async () => {
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
    const message = await window.notifications.waitFor(/needs an API key/);
    assert.doesNotMatch(message.text, /Repair|\u202e/);
    assert.equal(await window.page.locator('.notification-list-item-message a').count(), 0);
  });

  it('B25: of a remote machine steer nothing; its project is asked about', async () => {
    const session = await openWindow(emulator, { folderFiles: { 'a.txt': 'Write a reply.\n' } });
    // VS Code would write into that file what the set-up stores, so the key comes first.
    await storeKey(session);
    const file = join(session.server.dataDirectory, 'data', 'Machine', 'settings.json');
    await mkdir(dirname(file), { recursive: true });
    const insertMode = { 'hostedModel.insertMode': 'replace' };
    await writeFile(file, text({ ...hostile('folder-project'), ...insertMode }));
    try {
      const window = await session.anotherWindow();
      await generateFrom(session, 'a.txt', window);
      const { detail } = await window.dialogs.waitFor(question);
      assert.match(detail, /Project ID: folder-project/);
      assert.equal(emulator.requests.length, 0);
      await window.dialogs.click('Use My Project');
      assert.equal(await projectOf(1), projectId);
      await window.editor.waitForText(/^Hello from the emulated model!/);
      await generateFrom(session, 'a.txt', window);
      assert.equal(await projectOf(2), projectId);
    } finally {
      await rm(file);
    }
  });
});
