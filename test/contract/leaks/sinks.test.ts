import assert from 'node:assert/strict';
import type { ReceivedRequest } from '../../emulator/requests.ts';
import { printTable } from '../../table.ts';
import { FakeKeyring, FakeState } from '../../unit/connection/fakes.ts';
import { formsIn, writtenDown } from '../../unit/service/canaries.ts';
import { chatStream, type Echo, echoes, key, token } from '../service/echoes.ts';
import { tokenPath } from '../service/world.ts';
import { bytesOf, SINKS, type Sink, SinkEditor } from './sinkEditor.ts';
import { sinkWriters } from './sinkWriters.ts';
import { KEY_SOURCES, type KeySource, useService } from './useService.ts';
import { type Windows, windows } from './window.ts';

const LEAST_RUNS = 40;
const LEAST_SINKS = 14;
/** Sinks that must stay empty if the service fails. */
const SILENT: ReadonlySet<Sink> = new Set([
  'command result',
  'document',
  'settings',
  'counter files',
  'stdout and stderr',
  'process warning',
]);

const COMMANDS = [
  'generateFromSelection',
  'refreshToken',
  'selectModel',
  'diagnose',
  'showMenu',
  'showLastResponse',
  'setUp',
] as const;

/** Returns the path, query, headers, and body of a request as a single string. */
const sentBy = ({ path, query, rawHeaders, text }: ReceivedRequest): string =>
  [path, query, ...rawHeaders, text].join('\n');

/** Returns all forms and fragments of the key or the token that are found in `text`. */
const hitsIn = (text: string): string[] => [
  ...formsIn(text, key),
  ...formsIn(text, token),
  ...(/c4nary/i.exec(text) ?? []),
];

describe(`the search for leaks in ${SINKS.length} sinks (${Object.keys(echoes).length} failures × ${KEY_SOURCES.length} key sources × ${COMMANDS.length} commands)`, () => {
  const bytes = new Map(SINKS.map((sink) => [sink, 0]));
  const hits = new Map(SINKS.map((sink) => [sink, 0]));
  let opened: Windows;
  /**
   * The scenarios that have started, by name. A scenario runs only once, when a test first needs
   * its result.
   */
  const runs = new Map<string, Promise<SinkEditor>>();
  before(() => {
    opened = windows(new SinkEditor());
  });
  after(() => {
    opened.end();
    const [total, found] = [bytes, hits].map((counts) =>
      [...counts.values()].reduce((sum, one) => sum + one, 0),
    );
    printTable({
      figure: 'leaks',
      title: `${runs.size} scenarios × ${SINKS.length} sinks, ${total?.toLocaleString('en')} bytes searched, ${found} hits (bar: at least ${LEAST_RUNS} scenarios × ${LEAST_SINKS} sinks, 0 hits, and ${SILENT.size} sinks that stay empty)`,
      heads: ['sink', 'bytes searched', 'hits'],
      rows: SINKS.map((sink) => [sink, bytes.get(sink) ?? 0, hits.get(sink) ?? 0]),
    });
  });

  const echo = async ({ path, fault }: Echo, source: KeySource) => {
    const isOfToken = path === tokenPath;
    const answers = isOfToken
      ? { identity: fault(key) }
      : { identity: { json: { access_token: token } }, inference: fault(key) };
    const scenario = { key, source, answers };
    const { editor, requests } = await useService(opened, scenario, COMMANDS);
    const sent = requests.map(({ text, headers }) => `${text} ${headers.authorization}`);
    assert.ok(
      sent.some((one) => one.includes(isOfToken ? key : token)),
      'a secret was sent',
    );
    return editor;
  };

  const search = async (scenario: Echo, source: KeySource) => {
    const editor = await echo(scenario, source);
    for (const sink of SINKS) {
      const text = editor.textOf(sink);
      bytes.set(sink, (bytes.get(sink) ?? 0) + bytesOf(text));
      hits.set(sink, (hits.get(sink) ?? 0) + hitsIn(text).length);
    }
    return editor;
  };

  const play = (name: string, scenario: Echo, source: KeySource) => {
    const run = `${name}, key from ${source}`;
    const played = runs.get(run) ?? search(scenario, source);
    runs.set(run, played);
    return played;
  };

  for (const [name, scenario] of Object.entries(echoes)) {
    for (const source of KEY_SOURCES) {
      it(`E01: finds neither the token nor the key from ${source} after the failure “${name}”`, async () => {
        const editor = await play(name, scenario, source);
        for (const sink of SINKS) {
          const text = editor.textOf(sink);
          assert.deepEqual(hitsIn(text), [], `${sink}: ${text}`);
        }
        assert.match(editor.textOf('notification'), /Show Log/);
      });
    }
  }

  it(`E01: covers every sink that may contain text, in at least ${LEAST_RUNS} scenarios`, async () => {
    for (const [name, scenario] of Object.entries(echoes)) {
      for (const source of KEY_SOURCES) await play(name, scenario, source);
    }
    const reached = SINKS.filter((sink) => (bytes.get(sink) ?? 0) > 0);
    assert.ok(runs.size >= LEAST_RUNS, `${runs.size} runs`);
    assert.ok(reached.length >= LEAST_SINKS, `${reached.length} sinks`);
    assert.deepEqual(
      reached,
      SINKS.filter((sink) => !SILENT.has(sink)),
    );
    assert.deepEqual(
      SINKS.filter((sink) => hits.get(sink) !== 0),
      [],
    );
  });

  const imperfect: Readonly<Record<string, string>> = {
    'in quotes': `IBM_API_KEY="${key}"\n`,
    'with a trailing comment': `IBM_API_KEY=${key} # of the team\n`,
    'next to an invalid URL': `IBM_API_KEY=${key}\nIBM_PROJECT_ID=p\nIBM_URL=none\n`,
    'without the other settings': `IBM_API_KEY=${key}\n`,
  };
  for (const [what, text] of Object.entries(imperfect)) {
    for (const button of ['Cancel', 'Mask and Send']) {
      it(`E15: finds no key from selected .env text after ${button} (key ${what})`, async () => {
        const given = new SinkEditor();
        Object.assign(given, { text, button });
        given.files.set('/work/.env', text);
        const scenario = { key: 'stored-key-0123456789', source: 'secret storage' } as const;
        const run = useService(opened, { ...scenario, editor: given }, COMMANDS);
        const { editor, requests } = await run;
        for (const sink of SINKS) assert.deepEqual(hitsIn(editor.textOf(sink)), [], sink);
        const chats = requests.filter(({ path }) => path === chatStream);
        assert.equal(chats.length, button === 'Cancel' ? 0 : 1);
        for (const request of requests) assert.deepEqual(hitsIn(sentBy(request)), []);
      });
    }
  }

  for (const [what, values] of Object.entries({
    'the project ID': { projectId: key },
    'part of the project ID': { projectId: `my-${key}` },
    'the model': { modelId: key },
    'the service URL': { path: `/${key}` },
  })) {
    for (const source of KEY_SOURCES) {
      it(`E16: finds no key outside token requests and displayed settings (pasted as ${what}, key from ${source})`, async () => {
        const run = useService(opened, { key, source, values }, COMMANDS);
        const { editor, requests } = await run;
        assert.ok(
          requests.some(({ text }) => text.includes(key)),
          'a token was requested',
        );
        for (const request of requests) {
          if (request.path !== tokenPath) assert.deepEqual(hitsIn(sentBy(request)), []);
        }
        for (const sink of SINKS) {
          // The tooltip and the model list show the user's own settings unchanged, so the lines
          // with these settings are removed.
          const text = editor.textOf(sink).replaceAll(/^(Project|Model|Current): .*$/gm, '');
          assert.deepEqual(hitsIn(text), [], sink);
        }
      });
    }
  }

  it("E01: doesn't find the token anywhere, even if the model list echoes it", async () => {
    const models = [token, 'maker/model'].map((id) => ({ model_id: id, label: id }));
    const repeats = [{ model_id: 'maker/other', short_description: `Your token: ${token}` }];
    const inference = { json: { resources: [...models, ...repeats] } };
    const answers = { identity: { json: { access_token: token } }, inference };
    const scenario = { key, source: 'secret storage', answers } as const;
    const { editor } = await useService(opened, scenario, ['refreshToken', 'selectModel']);
    assert.match(editor.textOf('quick pick'), /maker\/model/);
    for (const sink of SINKS) assert.deepEqual(hitsIn(editor.textOf(sink)), [], sink);
  });

  for (const source of KEY_SOURCES) {
    it(`E01: finds no token or key, even if responses echo it (key from ${source})`, async () => {
      const words = { key: 'C4naryKey_0123456789', token: 'c4naryToken_0123456789' };
      const repeated = [...Object.values(words), words.key.slice(0, 16), `x_${words.token}`];
      const all = repeated.join(' ');
      const headers = { 'x-request-id': words.key, 'x-global-transaction-id': words.token };
      const choices = [{ delta: { content: 'text' }, finish_reason: words.key }];
      const system = { warnings: [...repeated, 'api_legacy'].map((id) => ({ id, message: all })) };
      const event = { choices, system, model_id: words.key, model: all, id: all, trace: all };
      const inference = {
        headers: { 'content-type': 'text/event-stream', ...headers },
        body: `id: 1\nevent: message\ndata: ${JSON.stringify(event)}\n\n`,
      };
      const answers = { identity: { headers, json: { access_token: words.token } }, inference };
      const commands = ['generateFromSelection', 'showLastResponse', 'diagnose', 'showMenu'];
      const scenario = { key: words.key, source, answers };
      const { editor } = await useService(opened, scenario, commands);
      assert.match(editor.textOf('log'), /generated [\s\S]*service warnings: .*api_legacy/);
      assert.match(editor.textOf('counter files'), /"caller":"selection","requests":1,/);
      // The service didn't report token counts, so the tooltip shows an estimate.
      assert.match(editor.textOf('tooltip'), /Today’s usage with .*: 1 request, ≈\d+ tokens/);
      for (const sink of SINKS) {
        const text = editor.textOf(sink);
        assert.doesNotMatch(text, /c4nary/i, sink);
        const found = Object.values(words).flatMap((word) => formsIn(text, word));
        assert.deepEqual(found, [], sink);
      }
    });
  }

  it('E01: finds a key that the test writes to each sink', async () => {
    const editor = new SinkEditor();
    const stores = {
      keyring: new FakeKeyring(),
      globalState: new FakeState(),
      workspaceState: new FakeState(),
    };
    const textOf = (sink: Sink) => `${sink}: ${key}`;
    const window = await opened.start(editor, stores);
    try {
      for (const sink of SINKS)
        await sinkWriters[sink](textOf(sink), { editor, stores, opened: window });
    } finally {
      await window.close();
    }
    for (const sink of SINKS) {
      assert.ok(editor.textOf(sink).includes(textOf(sink)), sink);
      assert.ok(hitsIn(editor.textOf(sink)).length > 0, sink);
    }
  });

  for (const [form, write] of Object.entries(writtenDown)) {
    it(`finds a secret ${form}`, () => {
      assert.ok(hitsIn(`before ${write(key)} after`).length > 0);
      assert.ok(hitsIn(`before ${write(token)} after`).length > 0);
    });
  }
});
