import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { App } from '../../../src/commands/commandTypes.ts';
import type { Lookup } from '../../../src/connection/sourceSelection.ts';
import type { SourceSnapshot } from '../../../src/connection/sourceTypes.ts';
import { conclusionOf, type ShownCheck } from '../../../src/diagnose/checkMessages.ts';
import type { Row } from '../../../src/diagnose/diagnosisList.ts';
import { readServices } from '../../../src/service/addedServices.ts';
import type { CheckName, CheckResult } from '../../../src/service/checks/connectionChecks.ts';
import { systemClock } from '../../../src/service/clock.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { SessionHistory } from '../../../src/status/sessionHistory.ts';
import { initialFacts } from '../../../src/status/statusView.ts';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';
import { choiceOf, envFile, found, full } from '../connection/sources.ts';

/** A list whose rows a test can pick. */
class FakePick {
  items: Row[] = [];
  selectedItems: Row[] = [];
  #accept = () => {};
  #hide = () => {};

  onDidAccept(listener: () => void): { dispose(): void } {
    this.#accept = listener;
    return { dispose: () => {} };
  }
  onDidHide(listener: () => void): { dispose(): void } {
    this.#hide = listener;
    return { dispose: () => {} };
  }
  show(): void {}
  hide(): void {
    this.#hide();
  }
  dispose(): void {}

  /** Waits for the row that performs this action, and picks it. */
  async pick(does: Row['does']): Promise<void> {
    for (let turns = 0; turns < 100 && !this.#rowThat(does); turns += 1) await turn();
    const item = this.#rowThat(does);
    assert.ok(item);
    this.selectedItems = [item];
    this.#accept();
    await turn();
  }

  #rowThat(does: Row['does']): Row | undefined {
    return this.items.find((row) => row.does === does);
  }
}

class EditorWithList extends FakeEditor {
  readonly lists: FakePick[] = [];
  copied: string | undefined;
  mayCopy = true;

  override exports(): Record<string, unknown> {
    const exports = super.exports();
    const createQuickPick = () => {
      const list = new FakePick();
      this.lists.push(list);
      return list;
    };
    const writeText = async (text: string) => {
      if (!this.mayCopy) throw new Error('NotAllowedError');
      this.copied = text;
    };
    const window = Object.create(exports['window'] as object, {
      createQuickPick: { value: createQuickPick },
    });
    return { ...exports, window, env: { appName: 'Fake', clipboard: { writeText } } };
  }
}

const ACME = 'https://llm.acme.example/v1';

const passed = (title: string): ShownCheck => ({ title, state: 'passed', text: `${title} is.` });
const failed: ShownCheck = {
  title: 'Token',
  state: 'failed',
  text: 'It was rejected.',
  fix: 'setUp',
  facts: 'key-rejected (status 400)',
};
const warned: ShownCheck = { title: 'Clock', state: 'warning', text: 'It is off.', fix: 'retry' };
const notRun: ShownCheck = { title: 'Project', state: 'not-run', text: '' };

describe('the diagnosis list', () => {
  let hooks: ReturnType<typeof installEditor>;
  let list: typeof import('../../../src/diagnose/diagnosisList.ts');
  before(async () => {
    hooks = installEditor(() => new EditorWithList());
    list = await import('../../../src/diagnose/diagnosisList.ts');
  });
  after(() => hooks.deregister());

  it('shows each state in words next to its icon', () => {
    const running: ShownCheck = { title: 'Host', state: 'running', text: '' };
    const rows = [passed('Settings'), running, warned, failed, notRun].map(list.rowOf);
    assert.deepEqual(
      rows.map(({ label }) => label),
      [
        '$(pass-filled) Settings: passed',
        '$(loading~spin) Host: checking',
        '$(warning) Clock: warning',
        '$(error) Token: failed',
        '$(circle-slash) Project: not run',
      ],
    );
    assert.deepEqual(
      rows.map(({ description, detail }) => description ?? detail),
      ['Settings is.', undefined, 'It is off.', 'It was rejected.', undefined],
    );
  });

  it('shows the cause, one fix, and Copy Report above the checks', () => {
    const rows = list.finalRows([passed('Settings'), warned, failed, notRun], 'not-tried');
    assert.deepEqual(
      rows.slice(0, 4).map(({ does, label, detail }) => [does, label, detail]),
      [
        ['none', '$(error) Cause: Token', undefined],
        ['fix', '$(wand) Set Up...', 'It was rejected.'],
        ['copy', '$(copy) Copy Report', undefined],
        ['none', 'Checks', undefined],
      ],
    );
    assert.equal(rows.filter(({ does }) => does === 'fix').length, 1);
    assert.equal(rows.length, 8);
  });

  it('starts with the first failure, or else with a warning or “All checks passed”', () => {
    const other = { ...failed, text: 'Another.' };
    assert.equal(conclusionOf([warned, failed, other]).text, 'It was rejected.');
    assert.deepEqual(conclusionOf([passed('Token'), warned]).state, 'warning');
    assert.equal(conclusionOf([passed('Token')]).state, 'passed');
    const rows = list.finalRows([passed('Token')], 'done');
    assert.deepEqual(
      rows.slice(0, 2).map(({ label }) => label),
      ['$(pass-filled) All checks passed', '$(check) Report Copied'],
    );
  });

  it('offers Check Again instead of Retry', () => {
    const labels = list.finalRows([warned], 'not-tried').map(({ label }) => label);
    assert.ok(labels.includes('$(wand) Check Again'));
    assert.ok(labels.includes('$(warning) Warning: Clock'));
  });
});

describe('the open diagnosis list', () => {
  let editor = new EditorWithList();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new EditorWithList();
    editor.addFolder('/one');
    editor.addFolder('/two');
  });

  /**
   * Starts a diagnosis of a source that isn't approved, and records the folders for which it
   * requests a connection.
   * @param read receives the result of the lookup, and returns the result to use
   */
  const start = async (
    values = full,
    read = async (looked: Lookup): Promise<Lookup | undefined> => looked,
  ) => {
    const { diagnoseConnection } = await import('../../../src/diagnose/diagnoseConnection.ts');
    const folder = { ...found().folder, name: 'name-of-the-folder' };
    const all = found({ record: undefined, external: [envFile(values)], folder });
    const asked: (string | undefined)[] = [];
    const connections = {
      peek: () => read({ found: all, choice: choiceOf(all) }),
      for: async (folder?: { readonly uri: { readonly path: string } }) =>
        void asked.push(folder?.uri.path),
    };
    const deps = {
      connections,
      runtime: new ServiceRuntime(),
      extension: { packageJSON: { version: '1.2.3' } },
      status: { facts: initialFacts },
      history: new SessionHistory(systemClock),
    } as unknown as App;
    const ended = diagnoseConnection(deps, ['below']);
    await turn();
    return { asked, ended };
  };

  it('requests approval for the folder being checked, even if another folder is now active', async () => {
    editor.activeFile = '/one/a.txt';
    const { asked, ended } = await start();
    editor.activeFile = '/two/b.txt';
    await editor.lists[0]?.pick('fix');
    await turn();
    assert.deepEqual(asked, ['/one']);
    editor.lists[1]?.hide();
    await ended;
  });

  /** Starts a diagnosis in which the check named `name` fails with this error. */
  const startFailing = async (
    all: SourceSnapshot,
    name: CheckName,
    error: ServiceError,
    isSaved = false,
  ) => {
    const { diagnoseConnection } = await import('../../../src/diagnose/diagnoseConnection.ts');
    const choice = choiceOf(all);
    assert.ok(choice.kind === 'ready');
    const check = async (onResult: (result: CheckResult) => void) => {
      onResult({ check: name, state: 'failed', error });
      return error;
    };
    Object.assign(choice.connection, { check });
    const deps = {
      connections: {
        peek: async () => ({ found: all, choice }),
        changeProject: async () => isSaved,
        signOutSignal: new AbortController().signal,
      },
      runtime: new ServiceRuntime(),
      extension: { packageJSON: { version: '1.2.3' } },
      log: { info() {} },
      status: { facts: initialFacts, update() {} },
      history: new SessionHistory(systemClock),
    } as unknown as App;
    const ended = diagnoseConnection(deps, ['below']);
    await turn();
    return { ended };
  };

  for (const [isSaved, lists] of [
    [false, 1],
    [true, 2],
  ] as const) {
    it(`${isSaved ? 'reruns its checks' : 'closes'} after Change Project... if ${isSaved ? 'a' : 'no'} project was saved`, async () => {
      const error = new ServiceError('project-unknown', { status: 404 });
      const { ended } = await startFailing(found(), 'access', error, isSaved);
      await editor.lists[0]?.pick('fix');
      await turn();
      editor.lists[1]?.hide();
      await ended;
      assert.equal(editor.lists.length, lists);
    });
  }

  it('shows whether the report was copied', async () => {
    const { ended } = await start();
    const [list] = editor.lists;
    editor.mayCopy = false;
    await list?.pick('copy');
    assert.ok(list?.items.some(({ label }) => label.includes('Not Copied: Try Again')));
    assert.ok(list?.items.some(({ detail }) => detail?.includes('Click in the window')));
    assert.equal(editor.copied, undefined);
    editor.mayCopy = true;
    await list?.pick('copy');
    assert.ok(list?.items.some(({ label }) => label.includes('Report Copied')));
    assert.match(editor.copied ?? '', /^Hosted Model/);
    assert.match(JSON.stringify(list?.items), /name-of-the-folder/);
    assert.doesNotMatch(editor.copied ?? '', /name-of-the-folder/);
    list?.hide();
    await ended;
  });

  for (const problem of ['exit', 'not-found'] as const) {
    it(`shows the token command, but omits it from the copied report (problem: ${problem})`, async () => {
      const command = ['/home/jane/bin/az', '--pin=1234'];
      const authentication = { kind: 'command', command };
      const entry = { word: 'acme', api: 'openai', defaultModel: 'm', url: ACME, authentication };
      const { own } = readServices([entry]);
      const [service] = own;
      assert.ok(service);
      const { definition } = service;
      const all = found({
        settings: { service, services: own, url: ACME, authUrl: '' },
        record: { apiKey: '', authUrl: '', serviceUrl: ACME, definition, program: command[0] },
      });
      const { ended } = await startFailing(
        all,
        'token',
        new ServiceError('command-failed', { problem }),
      );
      const [list] = editor.lists;
      await list?.pick('copy');
      const shown = JSON.stringify(list?.items);
      assert.match(shown, /The token comes from \/home\/jane\/bin\/az\./);
      assert.match(shown, problem === 'exit' ? /az --pin=1234”/ : /Couldn’t start \/home\/jane/);
      const wanted = problem === 'exit' ? /Try it in a terminal\./ : /Couldn’t start the program/;
      assert.match(editor.copied ?? '', wanted);
      assert.match(editor.copied ?? '', /The token comes from a program\./);
      assert.doesNotMatch(editor.copied ?? '', /jane|1234/);
      list?.hide();
      await ended;
    });
  }

  it("mentions the keyring and offers Check Again if settings can't be read", async () => {
    let isLocked = true;
    const { ended } = await start(full, async (looked) => (isLocked ? undefined : looked));
    const [list] = editor.lists;
    const labels = () => list?.items.map(({ label }) => label).slice(0, 3);
    assert.deepEqual(labels(), [
      '$(error) Cause: Settings',
      '$(wand) Check Again',
      '$(copy) Copy Report',
    ]);
    assert.match(list?.items[1]?.detail ?? '', /within 10 seconds.*keyring/);
    await list?.pick('copy');
    assert.match(editor.copied ?? '', /^Settings: failed\..*keyring/m);
    assert.match(editor.copied ?? '', /^- Not read, because secret storage or the folder/m);
    isLocked = false;
    await list?.pick('fix');
    await turn();
    assert.match(JSON.stringify(editor.lists[1]?.items), /Cause: Hosts/);
    editor.lists[1]?.hide();
    await ended;
  });

  it("doesn't request a connection if it is closed during the settings check", async () => {
    const read = Promise.withResolvers<Lookup>();
    const { asked, ended } = await start(full, () => read.promise);
    const [list] = editor.lists;
    assert.deepEqual(
      list?.items.map(({ label }) => label),
      ['$(loading~spin) Settings: checking'],
    );
    list?.hide();
    assert.equal(await ended, false);
    const ready = found();
    read.resolve({ found: ready, choice: choiceOf(ready) });
    await import('../../../src/service/checks/connectionChecks.ts');
    await turn();
    assert.deepEqual(asked, []);
  });

  const show = async (run: (signal: AbortSignal) => Promise<void>) => {
    const { showDiagnosis } = await import('../../../src/diagnose/diagnosisList.ts');
    return showDiagnosis({ run: (_, signal) => run(signal), copy: async () => 'done' });
  };

  it('stops its checks when it is closed, and ignores later errors', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const ended = show(async (signal) => {
      started.resolve(signal);
      await once(signal, 'abort');
      throw new Error('after its end');
    });
    const signal = await started.promise;
    editor.lists[0]?.hide();
    assert.equal(await ended, undefined);
    assert.equal(signal.aborted, true);
  });

  it('fails if a check throws an error', async () => {
    const broken = show(() => Promise.reject(new Error('broken')));
    await assert.rejects(broken, /broken/);
  });

  it('fails if copying the report throws an error', async () => {
    const { showDiagnosis } = await import('../../../src/diagnose/diagnosisList.ts');
    const copy = () => Promise.reject(new Error('broken'));
    const broken = assert.rejects(showDiagnosis({ run: async () => {}, copy }), /broken/);
    await editor.lists[0]?.pick('copy');
    await broken;
  });

  it("E07: doesn't copy a report that contains the key in a host name", async () => {
    const key = 'c4nary-key-0123456789';
    const { ended } = await start({ ...full, key, url: `https://${key}.example` });
    const [list] = editor.lists;
    await list?.pick('copy');
    assert.ok(list?.items.some(({ label }) => label.includes('Not Copied')));
    assert.equal(editor.copied, undefined);
    list?.hide();
    await ended;
  });
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
