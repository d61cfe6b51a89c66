import assert from 'node:assert/strict';
import type { Uri, WorkspaceFolder } from 'vscode';
import type { SourceSnapshot } from '../../../src/connection/sourceTypes.ts';
import type { DiagnosisDeps } from '../../../src/diagnose/runChecks.ts';
import { serviceFor } from '../../../src/service/builtInServices.ts';
import { type ErrorKind, ServiceError } from '../../../src/service/errors.ts';
import type { Service } from '../../../src/service/service.ts';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';
import { choiceOf, envFile, environment, found, full, record } from '../connection/sources.ts';
import { connectionOf } from '../service/fixtures.ts';

/** An editor whose user answers each message with the next button in `buttons`. */
class PickingEditor extends FakeEditor {
  readonly buttons: string[] = [];

  override async ask(text: string, rest: readonly unknown[]): Promise<unknown> {
    this.messages.push(text);
    const button = this.buttons.shift();
    assert.ok(
      button === undefined || rest.includes(button),
      `${button} in ${JSON.stringify(rest)}`,
    );
    return button;
  }

  override exports(): Record<string, unknown> {
    const exports = super.exports();
    const showErrorMessage = (text: string, ...rest: unknown[]) => this.ask(text, rest);
    const withProgress = (_options: unknown, task: () => Promise<unknown>) => task();
    const window = Object.create(exports['window'] as object, {
      showErrorMessage: { value: showErrorMessage },
      withProgress: { value: withProgress },
    });
    return { ...exports, window };
  }
}

describe('a reported failure', () => {
  let editor = new PickingEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new PickingEditor();
  });

  /** By default, the editor is the only source of credentials. */
  const depsWith = (connections: object, sources = found()) =>
    ({
      log: { error() {} },
      status: { update() {} },
      history: { recordFailure() {} },
      connections: { current: { found: sources, choice: choiceOf(sources) }, ...connections },
    }) as unknown as DiagnosisDeps;

  /** Reports a failure to a user who presses these buttons, in order. */
  async function report(kind: ErrorKind, isRepaired: boolean, ...buttons: string[]) {
    const { reportFailure } = await import('../../../src/diagnose/reportFailure.ts');
    editor.buttons.push(...buttons);
    const repairs: unknown[] = [];
    const deps = depsWith({
      changeKey: async () => {
        repairs.push('key');
        return isRepaired;
      },
      changeProject: async () => {
        repairs.push('project');
        return isRepaired;
      },
    });
    const wantsRetry = await reportFailure(deps, new ServiceError(kind), connectionOf());
    return { wantsRetry, repairs };
  }

  for (const [button, kind, repair] of [
    ['Set Up...', 'key-rejected', 'key'],
    ['Change Project...', 'project-unknown', 'project'],
  ] as const) {
    it(`leads to a retry only if the user clicks ${button} and then Retry`, async () => {
      const picked = await report(kind, true, button, 'Retry');
      assert.deepEqual(picked, { wantsRetry: true, repairs: [repair] });
      assert.equal((await report(kind, true, button)).wantsRetry, false);
    });

    it(`doesn't lead to a retry if ${button} didn't fix anything`, async () => {
      const { wantsRetry } = await report(kind, false, button);
      assert.deepEqual([wantsRetry, editor.messages.length], [false, 1]);
    });
  }

  for (const [modelId, wantsRetry] of [
    ['another', true],
    ['a-model', false],
  ] as const) {
    it(`leads to a retry only if the user switches models and clicks Retry: ${modelId}`, async () => {
      const { reportFailure } = await import('../../../src/diagnose/reportFailure.ts');
      const { commands } = await import('vscode');
      let used = connectionOf().with({ modelId: 'a-model' });
      commands.registerCommand('hostedModel.selectModel', () => {
        used = used.with({ modelId });
      });
      const deps = depsWith({
        peek: async () => ({ choice: { kind: 'ready', connection: used } }),
      });
      const failure = new ServiceError('model-unknown');
      for (const pressed of [['Retry'], []]) {
        editor.buttons.push('Select Model...', ...(wantsRetry ? pressed : []));
        const failed = used.with({ modelId: 'a-model' });
        const isRetried = await reportFailure(deps, failure, failed);
        assert.equal(isRetried, wantsRetry && pressed.length > 0);
      }
      assert.equal(editor.messages.length, wantsRetry ? 4 : 2);
    });
  }

  /**
   * Reports that the project is unknown. The user runs *Diagnose Connection*, and then clicks these
   * buttons.
   */
  async function diagnose(isPassing: boolean, ...buttons: string[]): Promise<boolean> {
    const { reportFailure } = await import('../../../src/diagnose/reportFailure.ts');
    editor.buttons.push('Diagnose Connection', ...buttons);
    const folders: unknown[] = [];
    const failure = new ServiceError('project-unknown');
    const wantsRetry = await reportFailure(depsWith({}), failure, connectionOf(), {
      folder: null,
      diagnose: async (folder) => {
        folders.push(folder);
        return isPassing;
      },
    });
    assert.deepEqual(folders, [null], "the diagnosis checks the failed generation's folder");
    return wantsRetry;
  }

  it('leads to a retry only if all checks have passed and the user then clicks Retry', async () => {
    assert.equal(await diagnose(true, 'Retry'), true);
    assert.match(editor.messages[1] ?? '', /^All checks passed/);
    assert.equal(await diagnose(true), false);
    editor.messages.length = 0;
    assert.equal(await diagnose(false), false);
    assert.equal(editor.messages.length, 1);
  });

  type Refresh = ServiceError | { readonly hasToken: boolean };

  /**
   * Reports a rejected key to a user who presses these buttons, in order.
   * @param refresh the result of each token refresh, or the error that the refresh throws, in order
   */
  async function reportRejectedKey(
    refresh: readonly Refresh[],
    ...buttons: string[]
  ): Promise<boolean> {
    const { reportFailure } = await import('../../../src/diagnose/reportFailure.ts');
    const results = [...refresh];
    const refreshToken = async () => {
      const result = results.shift();
      if (result instanceof ServiceError) throw result;
      return result;
    };
    const deps = depsWith({ for: async () => ({ refreshToken }) });
    editor.buttons.push(...buttons);
    const isRetried = await reportFailure(deps, new ServiceError('key-rejected'), connectionOf());
    assert.deepEqual(results, []);
    return isRetried;
  }

  it('leads to a retry only if the user clicks Refresh Token and then Retry', async () => {
    assert.equal(await reportRejectedKey([{ hasToken: true }], 'Refresh Token'), false);
    assert.deepEqual(editor.messages.slice(1), ['The token was refreshed.']);
    assert.equal(await reportRejectedKey([{ hasToken: true }], 'Refresh Token', 'Retry'), true);
  });

  it("doesn't lead to a retry if there is no token to refresh", async () => {
    assert.equal(await reportRejectedKey([{ hasToken: false }], 'Refresh Token'), false);
    assert.deepEqual(editor.messages.slice(1), ['This service doesn’t use a token.']);
  });

  it('is followed by a second message if Refresh Token fails', async () => {
    const refresh = [new ServiceError('offline')];
    assert.equal(await reportRejectedKey(refresh, 'Refresh Token'), false);
    assert.match(editor.messages[1] ?? '', /^Couldn’t reach the identity service/);
    assert.equal(editor.messages.length, 2);
  });

  it('leads to a retry if Refresh Token succeeds after two failed attempts', async () => {
    const failure = new ServiceError('offline');
    const retryTwice = ['Refresh Token', 'Retry', 'Retry'];
    assert.equal(
      await reportRejectedKey([failure, failure, { hasToken: true }], ...retryTwice),
      true,
    );
    assert.equal(editor.messages.length, 3);
  });

  /** Returns the end of a message about a rejected key, which follows the advice. */
  const hintIn = (message: string) => message.split('run “Refresh Token”.')[1];

  const UNSAVED = ' The .env file has unsaved changes. They aren’t used until you save the file.';

  for (const [title, source, unsavedFolder, hint] of [
    [
      'mentions unsaved changes if the rejected key came from the .env file',
      'envFile',
      'a',
      UNSAVED,
    ],
    ["doesn't mention unsaved changes in another folder's .env file", 'envFile', 'b', ''],
    ["doesn't mention unsaved changes if the rejected key came from the editor", 'editor', 'a', ''],
  ] as const) {
    it(title, async () => {
      const { reportFailure } = await import('../../../src/diagnose/reportFailure.ts');
      editor.addFolder('/a');
      editor.addFolder('/b');
      editor.activeFile = '/b/a.txt';
      const uri = { toString: () => `file:///${unsavedFolder}/.env` };
      editor.openDocuments.push({ uri, isDirty: true });
      const { activeFolder } = await import('../../../src/connection/folders.ts');
      const folder = activeFolder({ scheme: 'file', path: '/a/a.txt' } as Uri);
      const error = new ServiceError('key-rejected');
      await reportFailure(depsWith({}), error, connectionOf({ source }), { folder });
      assert.equal(hintIn(editor.messages.join()), hint);
    });
  }

  /** Reports the failure of a connection that can be used with these sources. */
  async function reportWith(
    sources: SourceSnapshot,
    kind: ErrorKind,
    {
      folder = null,
      isReplaced = false,
    }: { folder?: WorkspaceFolder | null; isReplaced?: boolean } = {},
  ): Promise<string> {
    const { reportFailure } = await import('../../../src/diagnose/reportFailure.ts');
    const choice = choiceOf(sources);
    assert.ok(choice.kind === 'ready');
    const failed = isReplaced ? connectionOf() : choice.connection;
    await reportFailure(depsWith({}, sources), new ServiceError(kind), failed, { folder });
    return editor.messages.join();
  }

  const differs = (source: string) =>
    ` ${source} contains different credentials. To import them, click “Set Up...”.`;
  const sameKey = envFile({ ...full, key: record.apiKey });
  const ofZen = { ...envFile(), service: serviceFor('zen') as Service };

  for (const [title, source, hint] of [
    ['mentions a different key in the .env file', envFile(), differs('The .env file in a')],
    ['mentions a different key in the environment', environment(), differs('The environment')],
    ["doesn't mention the same key in another source", sameKey, ''],
    ["doesn't mention the key in a declined source", envFile(full, 'declined'), ''],
    ["doesn't mention the key of another service", ofZen, ''],
  ] as const) {
    it(`${title} if the editor's key is rejected`, async () => {
      const message = await reportWith(found({ external: [source] }), 'key-rejected');
      assert.equal(hintIn(message), hint);
    });
  }

  for (const [title, changes] of [
    ['the rejected key has been replaced', { isReplaced: true }],
    [
      'another folder is active',
      { folder: { uri: { toString: () => 'file:///b' } } as WorkspaceFolder },
    ],
  ] as const) {
    it(`doesn't mention a different key in the .env file if ${title}`, async () => {
      const sources = found({ external: [envFile()] });
      assert.equal(hintIn(await reportWith(sources, 'key-rejected', changes)), '');
    });
  }

  it('mentions a different key only if the message offers to change the key', async () => {
    const message = await reportWith(found({ external: [envFile()] }), 'project-unknown');
    assert.doesNotMatch(message, /different credentials/);
  });

  it("shows the template's name as plain text", async () => {
    const { reportFailure } = await import('../../../src/diagnose/reportFailure.ts');
    const rejection = new ServiceError('parameter-rejected', { names: ['top_k'] });
    const template = { name: '[Short](command:x)', parameters: { top_k: 101 } };
    await reportFailure(depsWith({}), rejection, connectionOf(), { template });
    const expected =
      'Nothing was sent: top_k is out of range. Change it in the template “[Short] (command:x)”.';
    assert.deepEqual(editor.messages, [expected]);
  });
});
