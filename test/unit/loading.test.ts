import assert from 'node:assert/strict';
import type { WorkspaceFolder } from 'vscode';
import type { App, CommandCode } from '../../src/commands/commandTypes.ts';
import type { CommandHost } from '../../src/commands/registerCommands.ts';
import { ACTION_LABELS } from '../../src/messages/actions.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { FakeEditor, installEditor } from './connection/fakeEditor.ts';

/**
 * Tests parts of the extension that load on first use. Loading can fail, for example because the
 * extension was updated on disk.
 */

const logged: string[] = [];
const app = {
  log: { error: (text: string) => logged.push(text) },
  status: { update: () => {} },
  history: { recordFailure: () => {} },
  connections: {},
} as unknown as App;
/** Returns a function that creates a command host with this `loadCommands`. */
const hostWith = (loadCommands: CommandHost['loadCommands']) => () => ({
  log: app.log,
  loadCommands,
});
/**
 * Returns a `CommandCode` that runs commands with `run`, and reports their failures with the real
 * `reportFailure`.
 */
function codeOf(run: CommandCode['run']): CommandCode {
  const report: CommandCode['report'] = async (error) => {
    const { reportFailure } = await import('../../src/diagnose/reportFailure.ts');
    return reportFailure(app, error);
  };
  return { run, report };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * An editor whose user selects Retry in the next `retries` error messages, and closes all later
 * ones.
 */
class RetryingEditor extends FakeEditor {
  retries = 0;

  override exports() {
    const { window, ...rest } = super.exports();
    const showErrorMessage = async (text: string, ...labels: string[]) => {
      this.messages.push(text);
      this.retries -= 1;
      return this.retries < 0 ? undefined : labels.find((label) => label === ACTION_LABELS.retry);
    };
    const shown = Object.getOwnPropertyDescriptors(window);
    return {
      ...rest,
      window: Object.defineProperties(
        {},
        { ...shown, showErrorMessage: { value: showErrorMessage } },
      ),
    };
  }
}

describe('loading on first use', () => {
  let editor = new RetryingEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new RetryingEditor();
    logged.length = 0;
  });

  it('reports a failure without revealing paths, and retries on the next command', async () => {
    const { registerCommands } = await import('../../src/commands/registerCommands.ts');
    let isThere = false;
    const ran: string[] = [];
    const load = async () => {
      if (!isThere) throw new Error('Cannot find module /home/somebody/app.js');
      return codeOf(async (name) => void ran.push(name));
    };
    registerCommands(hostWith(load), []);
    assert.equal(await editor.run('hostedModel.diagnose'), undefined);
    assert.equal(editor.messages.length, 1);
    assert.match(editor.messages[0] ?? '', /^Couldn’t load .* updated or uninstalled\.$/);
    assert.doesNotMatch([...editor.messages, ...logged].join(), /somebody/);
    assert.equal(logged.length, 1);
    isThere = true;
    await editor.run('hostedModel.diagnose');
    assert.deepEqual([ran, editor.messages.length], [['diagnose'], 1]);
  });

  it('reports an error if the extension failed to start', async () => {
    const { registerCommands } = await import('../../src/commands/registerCommands.ts');
    registerCommands(() => undefined, []);
    await editor.run('hostedModel.diagnose');
    assert.match(
      editor.messages.join(),
      /Couldn’t start.* If reloading doesn’t help, check the log/,
    );
  });

  it("doesn't report a failure if the window closes during loading", async () => {
    const { registerCommands } = await import('../../src/commands/registerCommands.ts');
    const load = async () => {
      throw new ServiceError('cancelled');
    };
    registerCommands(hostWith(load), []);
    await editor.run('hostedModel.diagnose');
    assert.deepEqual([editor.messages, logged], [[], []]);
  });

  it('uses the original selection first, but the current selection for a retry', async () => {
    const { registerCommands } = await import('../../src/commands/registerCommands.ts');
    editor.activeFile = '/work/letter.txt';
    editor.selected = 'at first';
    const seen: unknown[] = [];
    const run: CommandCode['run'] = async (_, { snapshot }) => {
      seen.push(snapshot?.texts[0]);
      throw new ServiceError('timeout');
    };
    const load = async () => {
      editor.selected = 'later';
      return codeOf(run);
    };
    editor.retries = 1;
    registerCommands(hostWith(load), []);
    await editor.run('hostedModel.generateFromSelection');
    assert.deepEqual(seen, ['at first', 'later']);
  });

  it('reports both failures if a command and its retry fail', async () => {
    const { registerCommands } = await import('../../src/commands/registerCommands.ts');
    const failures = ['timeout', 'connection-lost'] as const;
    const left = failures.values();
    const run = async () => {
      throw new ServiceError(left.next().value ?? assert.fail('a third attempt'));
    };
    registerCommands(
      hostWith(async () => codeOf(run)),
      [],
    );
    editor.retries = 1;
    await editor.run('hostedModel.diagnose');
    const [first, second, ...more] = logged;
    assert.match(first ?? '', /timeout/);
    assert.match(second ?? '', /connection-lost/);
    assert.deepEqual([more, editor.messages.length], [[], 2]);
  });

  it('is retried when the next file of the same kind is opened', async () => {
    const { whenOpened } = await import('../../src/ui/whenOpened.ts');
    let tries = 0;
    const stray: unknown[] = [];
    const note = (reason: unknown) => void stray.push(reason);
    process.prependListener('unhandledRejection', note);
    try {
      const appliesTo = ({ uri }: { uri: { path: string } }) => uri.path.endsWith('/.env');
      whenOpened(appliesTo, async () => {
        tries += 1;
        if (tries === 1) throw new Error('not there');
        return { dispose: () => {} };
      });
      for (const path of ['/a/.env', '/b/.env', '/c/.env', '/c/letter.txt']) {
        editor.open(path);
        await turn();
      }
      assert.deepEqual([tries, stray], [2, []]);
    } finally {
      process.removeListener('unhandledRejection', note);
    }
  });
});

describe('a missing .env file', () => {
  let editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new FakeEditor();
    editor.addFolder('/work');
  });

  it('is reported as possibly deleted if the user tries to open it', async () => {
    const { openEnvFile } = await import('../../src/connection/connectionDialogs.ts');
    const [folder] = editor.folders as unknown as WorkspaceFolder[];
    editor.files.set('/work/.env', '');
    await openEnvFile(folder);
    assert.deepEqual(editor.messages, []);
    editor.files.clear();
    await openEnvFile(folder);
    assert.match(editor.messages.join(), /Couldn’t open the \.env file\. .*deleted/);
  });
});
