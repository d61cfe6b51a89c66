import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { Socket } from 'node:net';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { COMMANDS } from '../../src/commands/commandTypes.ts';
import { provideEditor } from '../builtEditor.ts';

/**
 * Activates the shipped file in plain Node with a minimal fake editor so that the extension's
 * timers, connections, and secret reads can be counted. In a real extension host, the counts would
 * include those of VS Code and other extensions.
 */
describe('activation of the built extension', () => {
  const counts = { timers: 0, connections: 0, secretsRead: 0 };
  const loaded: string[] = [];
  const restore: (() => void)[] = [];

  before(() => {
    const editor = provideEditor(editorSource, (name) => `anything('${name}')`);
    const hooks = registerHooks({
      load: (url, context, next) => {
        if (url.includes('/dist/')) loaded.push(basename(url));
        return next(url, context);
      },
    });
    const { setTimeout: realTimeout, setInterval: realInterval } = globalThis;
    const realConnect = Socket.prototype.connect;
    const counted = <Real extends (...values: never[]) => unknown>(real: Real, count: () => void) =>
      function (this: unknown, ...values: Parameters<Real>) {
        count();
        return real.apply(this, values);
      };
    const timer = () => {
      counts.timers += 1;
    };
    globalThis.setTimeout = counted(realTimeout, timer) as typeof setTimeout;
    globalThis.setInterval = counted(realInterval, timer) as typeof setInterval;
    Socket.prototype.connect = counted(realConnect, () => {
      counts.connections += 1;
    }) as typeof realConnect;
    restore.push(() => {
      hooks.deregister();
      editor.deregister();
      Object.assign(globalThis, { setTimeout: realTimeout, setInterval: realInterval });
      Socket.prototype.connect = realConnect;
    });
  });
  after(() => {
    for (const undo of restore) undo();
  });

  it("doesn't start timers, open connections, read secrets, load the HTTP stack, or export an API", async () => {
    const disposable = { dispose: () => {} };
    const subscriptions: { dispose(): void }[] = [];
    const secrets = {
      keys: async () => ['hostedModel.key.ibm'],
      get: async () => {
        counts.secretsRead += 1;
      },
      onDidChange: () => disposable,
    };
    const { activate } = await import(pathToFileURL(join('dist', 'extension.js')).href);
    const atImport = { ...counts };
    const result: unknown = activate({ subscriptions, secrets, globalState: { get: () => true } });
    await turn();
    assert.deepEqual(atImport, { timers: 0, connections: 0, secretsRead: 0 });
    assert.deepEqual(counts, { timers: 0, connections: 0, secretsRead: 0 });
    assert.equal(result, undefined);
    assert.deepEqual(loaded.map((name) => name.replace(/-\w+/, '')).sort(), [
      'extension.js',
      'shared.js',
    ]);
    for (const name of loaded) {
      assert.doesNotMatch(readFileSync(join('dist', name), 'utf8'), /axios/);
    }
    for (const subscription of subscriptions) subscription.dispose();
    await turn();
    assert.deepEqual(counts, { timers: 0, connections: 0, secretsRead: 0 });
    const { timers, connections, secretsRead } = counts;
    console.log(
      `      ${loaded.length} files, ${timers} timers, ${connections} connections, ${secretsRead} secrets read`,
    );
  });

  it('succeeds even if settings have values of the wrong type', async () => {
    const { activate } = await import(pathToFileURL(join('dist', 'extension.js')).href);
    for (const value of [1, null, [], {}, true, 'text']) {
      Object.assign(globalThis, { settingOfTest: value });
      const disposable = { dispose: () => {} };
      const secrets = { keys: async () => [], onDidChange: () => disposable };
      const subscriptions: { dispose(): void }[] = [];
      activate({ subscriptions, secrets, globalState: { get: () => false } });
      // One subscription for each command, one for the log, and one for all other parts. The last
      // one is missing if activation failed.
      assert.equal(subscriptions.length, COMMANDS.length + 2, `with ${value}`);
    }
    Object.assign(globalThis, { settingOfTest: undefined });
  });
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * A fake `vscode` module. Every property, call, and constructor returns another fake, and every
 * setting has the value in `settingOfTest`.
 */
const editorSource = `
const anything = (name) => new Proxy(function () {}, {
  get: (_, property) =>
    property === Symbol.toPrimitive ? () => name :
    property === 'get' ? () => globalThis.settingOfTest :
    property === 'inspect' ? () => ({ globalValue: globalThis.settingOfTest }) :
    property === 'then' ? undefined : anything(name + '.' + String(property)),
  set: () => true,
  apply: () => anything(name + '()'),
  construct: () => anything('new ' + name),
});
`;
