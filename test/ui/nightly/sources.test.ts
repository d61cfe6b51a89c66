import assert from 'node:assert/strict';
import { type Emulator, startEmulator } from '../../emulator/emulator.ts';
import {
  type AwaitingApproval,
  assertUntouched,
  notApprovedYet,
} from '../../emulator/unapproved.ts';
import {
  apiKey,
  chatPath,
  externalCredentials,
  generateFrom,
  openWindow,
  projectId,
  storeKey,
  tokenPath,
} from '../service.ts';
import { nightly, type Session } from '../session.ts';

const key = 'key-in-the-env-file-0123';
const question = /from the \.env file in this folder/;

describe(`credential sources ${nightly}`, () => {
  let mine: Emulator;
  let theirs: Emulator;
  let unapproved: AwaitingApproval;
  beforeEach(async () => {
    const known = { apiKeys: [apiKey, key], projectIds: [projectId, 'project-of-the-file'] };
    [mine, theirs] = await Promise.all([startEmulator(known), startEmulator(known)]);
    unapproved = notApprovedYet(theirs);
    // `theirs` would reject the tokens that `mine` issues, so `theirs` replays recordings.
    theirs.replay('chat_stream ok', chatPath, 9);
  });
  afterEach(() => Promise.all([mine.close(), theirs.close()]));

  /**
   * Opens the menu and returns the state that a row shows. If `action` is given, also picks this
   * action for the row, using only the keyboard.
   */
  const act = async ({ workbench }: Session, row: string, action?: string) => {
    const { quickInput } = workbench;
    await workbench.runCommand('Hosted Model: Show Status and Actions');
    await quickInput.waitFor({ placeholder: 'Select an action' });
    if (row === 'The environment') await workbench.screenshot('sources');
    await quickInput.typeKeys(row);
    const { items } = await workbench.screen.until(`the row ${row}`, async () => {
      const state = await quickInput.state();
      return state?.items[0]?.label.includes(row) && state.items[0].focused ? state : undefined;
    });
    const [found] = items;
    if (action === undefined) {
      await workbench.page.keyboard.press('Escape');
      await quickInput.waitUntilClosed();
      return found && [found.description, found.detail].filter(Boolean).join(' · ').split(' · ')[0];
    }
    await workbench.page.keyboard.press('Enter');
    await quickInput.waitFor({ title: new RegExp(row, 'i') });
    await quickInput.typeKeys(action);
    await workbench.screen.until(`the action ${action}`, async () => {
      const first = (await quickInput.state())?.items[0];
      return first?.label.includes(action) && first.focused ? true : undefined;
    });
    await workbench.page.keyboard.press('Enter');
    return found && [found.description, found.detail].filter(Boolean).join(' · ').split(' · ')[0];
  };
  /** Polls, because a decision is stored a moment after its prompt closes. */
  const becomes = (session: Session, row: string, state: string) =>
    session.workbench.screen.until(`the row ${row} to show ${state}`, async () =>
      (await act(session, row)) === state ? true : undefined,
    );
  const choose = async ({ page, screen }: Session['workbench'], button: string) => {
    await screen.until(`the button ${button} to have the keyboard`, async () => {
      const focused = await screen.read<string>('document.activeElement.textContent');
      if (focused === button) return true;
      await page.keyboard.press('Tab');
      return undefined;
    });
    await page.keyboard.press('Enter');
  };

  it('are listed in the menu, and can be selected, declined, and imported there', async () => {
    const session = await openWindow(mine, {
      folderFiles: {
        'a.txt': 'Write a reply.\n',
        '.env': externalCredentials({ key, project: 'project-of-the-file', url: theirs.url }).text,
      },
    });
    const { workbench } = session;
    const { dialogs, quickInput, notifications } = workbench;
    await storeKey(session);
    const editorRow = 'Secret storage and user settings';
    const fileRow = 'The .env file in project';
    assert.equal(await act(session, editorRow), 'in use');
    assert.equal(await act(session, fileRow), 'complete, but not approved');
    await act(session, 'Use Another Source', fileRow);
    await dialogs.waitFor(question);
    unapproved.approve();
    await choose(workbench, 'Use These Values');
    await notifications.close(/Credential source set to “envFile”/);
    await becomes(session, fileRow, 'in use');
    assert.equal(await act(session, editorRow), 'complete, but not used');
    await generateFrom(session);
    const sent = await theirs.requestCount(chatPath, 1);
    assert.equal((sent.json as { project_id: string }).project_id, 'project-of-the-file');
    assert.equal(mine.count(chatPath), 0);
    const token = mine.requests.find(({ path }) => path === tokenPath);
    assert.equal(token?.form?.['apikey'], key);

    assert.equal(await act(session, fileRow, 'Forget Approval'), 'in use');
    await notifications.close(/be asked again before this source/);
    await act(session, 'Use Another Source', 'Automatic');
    await notifications.close(/Credential source set to “auto”/);
    assert.equal(await act(session, editorRow), 'in use');
    const forgotten = notApprovedYet(theirs);
    await generateFrom(session);
    await mine.requestCount(chatPath, 1);

    await act(session, 'Use Another Source', fileRow);
    await dialogs.waitFor(question);
    await choose(workbench, 'Do Not Use');
    await becomes(session, fileRow, 'you declined or imported it');
    await act(session, fileRow, 'Forget Decision');
    await becomes(session, fileRow, 'complete, but not approved');

    await act(session, fileRow, 'Import into Secret Storage');
    await quickInput.waitFor({ step: '4/4' });
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Enter');
    await dialogs.waitFor('Replace the stored API key?');
    await choose(workbench, 'Replace');
    await notifications.waitFor(/is set up/);
    assert.equal(await act(session, editorRow), 'in use');
    forgotten.approve();
    await generateFrom(session);
    await theirs.requestCount(chatPath, 2);
  });

  for (const [where, start] of [
    [
      'the error message',
      async ({ workbench }: Session) => {
        await workbench.notifications.click(
          /rejected the API key.* \.env file in project contains different credentials/,
          'Set Up...',
        );
        await workbench.dialogs.waitFor(/\.env file in project contains different credentials/);
        await workbench.screenshot('sources-different');
        await workbench.dialogs.click('Import into Secret Storage');
      },
    ],
    [
      'the menu',
      async (session: Session) => {
        await act(session, 'The .env file in project', 'Import into Secret Storage');
      },
    ],
  ] as const) {
    it(`let the user import credentials from ${where} to retry a rejected request`, async () => {
      const { text } = externalCredentials({ key, project: projectId, url: mine.url });
      const session = await openWindow(mine, {
        folderFiles: { 'a.txt': 'Write a reply.\n', '.env': text },
      });
      const { quickInput, notifications, editor } = session.workbench;
      await storeKey(session);
      mine.settings.apiKeys = [key];
      mine.settings.answer = () => 'Short.';
      await generateFrom(session);
      await notifications.waitFor(/rejected the API key/);
      await start(session);
      await quickInput.pick('$(beaker) Test and Save');
      await notifications.click(/changes are saved/, 'Retry');
      await editor.waitForText('Write a reply.\nShort.\n');
      assertUntouched(unapproved);
    });
  }

  it('ignore unsaved changes in the .env file, but the error message mentions them', async () => {
    const values = { key: key.slice(0, -1), project: projectId, url: mine.url };
    const session = await openWindow(mine, {
      folderFiles: { 'a.txt': 'Write a reply.\n', '.env': externalCredentials(values).text },
    });
    const { dialogs, editor, notifications } = session.workbench;
    mine.settings.answer = () => 'Short.';
    await generateFrom(session);
    await dialogs.waitFor(question);
    await dialogs.click('Use These Values');
    await notifications.click(/^The identity service rejected the API key/, 'Open .env');
    await editor.waitForText(externalCredentials(values).text);
    await editor.placeCursor(1, `VENDOR_API_KEY=${values.key}`.length + 1);
    await editor.type(key.slice(-1));
    await editor.waitForText(externalCredentials({ ...values, key }).text);
    await generateFrom(session);
    const unsaved = /rejected the API key.* has unsaved changes/;
    await notifications.waitFor(unsaved);
    await session.workbench.screenshot('sources-unsaved');
    await notifications.click(unsaved, 'Open .env');
    await editor.waitForText(externalCredentials({ ...values, key }).text);
    await editor.save();

    await generateFrom(session);
    assert.match(
      (await dialogs.waitFor(question)).detail,
      /^Changed since your last decision: API key/,
    );
    await dialogs.click('Use These Values');
    await editor.waitForText('Write a reply.\nShort.\n');
  });

  it('B06 B12: are listed as incomplete and skipped if they contain only an address', async () => {
    const session = await openWindow(mine, {
      folderFiles: {
        'a.txt': 'Write a reply.\n',
        '.env': externalCredentials({ url: theirs.url }).text,
      },
      env: externalCredentials({ url: theirs.url }).variables,
    });
    await storeKey(session);
    await generateFrom(session);
    await mine.requestCount(chatPath, 1);
    const lacks = /lacks (IBM|VENDOR)_API_KEY and (IBM|VENDOR)_PROJECT_ID/;
    assert.match((await act(session, 'The .env file in project')) ?? '', lacks);
    assert.match((await act(session, 'The environment')) ?? '', lacks);
    assert.equal(await session.workbench.dialogs.state(), undefined);
    assertUntouched(unapproved);
  });

  it('B11: include the environment, which needs approval in each folder', async () => {
    const { variables } = externalCredentials({
      key,
      project: 'project-of-the-file',
      url: theirs.url,
    });
    const session = await openWindow(mine, {
      folderFiles: {
        'one/a.txt': 'Write a reply.\n',
        'one/.env': externalCredentials({ key, project: projectId, url: theirs.url }).text,
        'two/a.txt': 'Write a reply.\n',
      },
      env: variables,
    });
    const one = await session.anotherWindow(session.path('one'));
    await generateFrom(session, 'one/a.txt', one);
    await one.dialogs.waitFor(question);
    await one.dialogs.click('Do Not Use');
    const environment = /from VS Code’s environment/;
    const { detail } = await one.dialogs.waitFor(environment);
    assert.match(detail, new RegExp(`selected text go(es)? to ${new URL(theirs.url).host}`, 'i'));
    await one.screenshot('environment-approval');
    assert.equal(mine.requests.length, 0);
    unapproved.approve();
    await one.dialogs.click('Use These Values');
    const { json } = await theirs.requestCount(chatPath, 1);
    assert.equal((json as { project_id: string }).project_id, 'project-of-the-file');

    const two = await session.anotherWindow(session.path('two'));
    await generateFrom(session, 'two/a.txt', two);
    assert.match((await two.dialogs.waitFor(environment)).detail, /Folder: \S+\/two\n?/);
    await two.page.keyboard.press('Escape');
    assert.equal(theirs.count(chatPath), 1);
  });
});
