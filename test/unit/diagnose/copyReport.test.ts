import assert from 'node:assert/strict';
import { buildReport } from '../../../src/diagnose/reportText.ts';
import { systemClock } from '../../../src/service/clock.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { SessionHistory } from '../../../src/status/sessionHistory.ts';
import { initialFacts } from '../../../src/status/statusView.ts';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';
import { choiceOf, envFile, found, full, record } from '../connection/sources.ts';
import { credentials, oauth } from '../service/fixtures.ts';

/**
 * Stored credentials for a service that isn't in use. The account and the key are sent in one
 * header, and the report must not contain that header's value either.
 */
const other = { service: oauth, account: 'client', apiKey: 'secret-of-the-client' };

class EditorWithClipboard extends FakeEditor {
  copied: string[] = [];
  mayCopy = true;

  override exports(): Record<string, unknown> {
    const writeText = async (text: string) => {
      if (!this.mayCopy) throw new Error('NotAllowedError');
      this.copied.push(text);
    };
    return { ...super.exports(), env: { appName: 'Fake', clipboard: { writeText } } };
  }
}

describe('Copy Report', () => {
  let editor = new EditorWithClipboard();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new EditorWithClipboard();
  });

  const copy = async (
    history = new SessionHistory(systemClock),
    isSilent = false,
    source = envFile(),
    runtime = new ServiceRuntime(),
  ) => {
    const { copyReport } = await import('../../../src/diagnose/copyReport.ts');
    const { readSettings } = await import('../../../src/config/settings.ts');
    const all = found({
      keys: [other],
      settings: {
        projectId: 'project-of-the-folder',
        isProjectOverridden: true,
        credentialSource: source.decision ? source.id : 'auto',
      },
      external: [source],
    });
    const looked = isSilent ? undefined : { found: all, choice: choiceOf(all) };
    editor.userSettings.set('projectId', 'project-of-the-user');
    const settings = readSettings();
    const report = buildReport({
      now: 0,
      versions: ['Hosted Model 1.2.3'],
      checks: [],
      settings,
      insertModes: ['below'],
      looked,
      status: initialFacts,
      loads: [],
      history,
    });
    return copyReport(runtime, report, looked, settings);
  };

  it('copies the report to the clipboard', async () => {
    assert.equal(await copy(), 'done');
    assert.match(editor.copied.join(), /^Hosted Model 1\.2\.3\n/);
  });

  it("E07: doesn't copy a report that contains the header value of an unused service", async () => {
    const runtime = new ServiceRuntime();
    for (const open of [undefined, runtime]) {
      const history = new SessionHistory(systemClock);
      const code = btoa(`${other.account}:${other.apiKey}`);
      history.recordFailure(new ServiceError('bad-request', { code }));
      assert.equal(await copy(history, undefined, undefined, open), 'holds-secret');
    }
    runtime.dispose();
    assert.deepEqual(editor.copied, []);
  });

  for (const [form, of] of [
    ['in plain text', (key: string) => key],
    ['in Base64', (key: string) => Buffer.from(key).toString('base64url')],
  ] as const) {
    it(`E07 E13: doesn't copy a report that contains the key ${form}`, async () => {
      const history = new SessionHistory(systemClock);
      history.recordFailure(new ServiceError('bad-request', { code: of(record.apiKey) }));
      assert.equal(await copy(history), 'holds-secret');
      assert.deepEqual(editor.copied, []);
    });
  }

  for (const [place, of] of [
    ['from the user settings', 'project-of-the-user'],
    ['from the folder settings', 'project-of-the-folder'],
    ['from a .env file', full.project],
  ] as const) {
    it(`E07: doesn't copy a report that contains the project ID ${place}`, async () => {
      for (const code of [of, Buffer.from(of).toString('base64url')]) {
        const history = new SessionHistory(systemClock);
        history.recordFailure(new ServiceError('bad-request', { code }));
        assert.equal(await copy(history), 'holds-secret');
      }
      assert.deepEqual(editor.copied, []);
    });
  }

  for (const answer of [undefined, 'approved'] as const) {
    it(`copies a report even if its fixed text contains values from ${answer ? 'an approved' : 'an unapproved'} source`, async () => {
      const everyDay = { key: 'credentials', project: 'default', url: full.url };
      const source = envFile(everyDay, answer);
      const runtime = new ServiceRuntime();
      try {
        runtime.tokenService({ ...credentials, apiKey: everyDay.key });
        for (const open of [undefined, runtime]) {
          await copy(undefined, undefined, source, open);
          assert.match(editor.copied.join(), /the default[\s\S]* not set up/);
          editor.copied = [];
          for (const code of [everyDay.key, everyDay.project, btoa(everyDay.key)]) {
            const history = new SessionHistory(systemClock);
            history.recordFailure(new ServiceError('bad-request', { code }));
            await copy(history, undefined, source, open);
            assert.deepEqual(editor.copied, []);
          }
        }
      } finally {
        runtime.dispose();
      }
    });
  }

  it("E13: doesn't copy a report that contains the access token", async () => {
    const { copyReport } = await import('../../../src/diagnose/copyReport.ts');
    const { readSettings } = await import('../../../src/config/settings.ts');
    const answer = JSON.stringify({ access_token: 'token-of-the-moment', expires_in: 3_600 });
    const headers = { 'content-type': 'application/json' };
    const runtime = new ServiceRuntime({
      http: { fetch: async () => new Response(answer, { headers }) },
    });
    try {
      await runtime.tokenService(credentials).refresh(new AbortController().signal);
      const report = { text: 'the host token-of-the-moment', externalText: '' };
      for (const one of [runtime, new ServiceRuntime()]) {
        await copyReport(one, report, undefined, readSettings());
      }
      assert.deepEqual(
        editor.copied,
        [report.text],
        'copied only with the runtime that has no token',
      );
    } finally {
      runtime.dispose();
    }
  });

  it("adds a note if secret storage or the folder didn't respond", async () => {
    await copy(undefined, true);
    const line = '- Not read, because secret storage or the folder didn’t respond';
    assert.ok(editor.copied.join().split('\n').includes(line), editor.copied.join());
  });

  it("fails if it can't write to the clipboard", async () => {
    editor.mayCopy = false;
    assert.equal(await copy(), 'failed');
  });
});
