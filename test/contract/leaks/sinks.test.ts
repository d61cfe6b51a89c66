import assert from 'node:assert/strict';
import { printTable } from '../../table.ts';
import { formsIn, writtenDown } from '../../unit/service/canaries.ts';
import { type Echo, echoes, key, token } from '../service/echoes.ts';
import { tokenPath } from '../service/world.ts';
import { bytesOf, SINKS, SinkEditor } from './sinkEditor.ts';
import { KEY_SOURCES, type KeySource, useService } from './useService.ts';
import { type Windows, windows } from './window.ts';

const COMMANDS = [
  'generateFromSelection',
  'refreshToken',
  'selectModel',
  'diagnose',
  'copyDiagnostics',
  'showMenu',
  'showLastResult',
  'setUp',
] as const;

/** What of the two secrets stands in a text. */
const hitsIn = (text: string): string[] => [
  ...formsIn(text, key),
  ...formsIn(text, token),
  ...(/c4nary/i.exec(text) ?? []),
];

describe(`neither key nor token is in any of ${SINKS.length} sinks: ${Object.keys(echoes).length} failing services, ${KEY_SOURCES.length} sources of the key, ${COMMANDS.length} commands each`, function () {
  this.timeout(30_000);
  const bytes = new Map(SINKS.map((sink) => [sink, 0]));
  const hits = new Map(SINKS.map((sink) => [sink, 0]));
  let opened: Windows;
  let runs = 0;
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
      title: `${runs} scenarios × ${SINKS.length} sinks, ${total?.toLocaleString('en')} bytes searched, ${found} hits (bar: at least 40 × 14, 0 hits)`,
      heads: ['sink', 'bytes searched', 'hits'],
      rows: SINKS.map((sink) => [sink, bytes.get(sink) ?? 0, hits.get(sink) ?? 0]),
    });
  });

  const echo = async ({ path, fault, options }: Echo, source: KeySource) => {
    const given = new SinkEditor();
    given.patienceMs = options?.http?.headersMs ?? given.patienceMs;
    const isOfToken = path === tokenPath;
    const answers = isOfToken
      ? { identity: fault(key) }
      : { identity: { json: { access_token: token } }, inference: fault(key) };
    const scenario = { key, source, answers, editor: given };
    const { editor, requests } = await useService(opened, scenario, COMMANDS);
    const sent = requests.map(({ text, headers }) => `${text} ${headers.authorization}`);
    assert.ok(
      sent.some((one) => one.includes(isOfToken ? key : token)),
      'a secret was sent',
    );
    return editor;
  };

  for (const [name, scenario] of Object.entries(echoes)) {
    for (const source of KEY_SOURCES) {
      it(`E01: ${name}, key from ${source}`, async () => {
        const editor = await echo(scenario, source);
        runs += 1;
        for (const sink of SINKS) {
          const text = editor.textOf(sink);
          const found = hitsIn(text);
          bytes.set(sink, (bytes.get(sink) ?? 0) + bytesOf(text));
          hits.set(sink, (hits.get(sink) ?? 0) + found.length);
          assert.deepEqual(found, [], `${sink}: ${text}`);
        }
        assert.match(editor.textOf('notification'), /Hosted Model/);
      });
    }
  }

  it('E01: a list of models that repeats the token does not show it', async () => {
    const models = [token, 'maker/model'].map((id) => ({ model_id: id, label: id }));
    const repeats = [{ model_id: 'maker/other', short_description: `Your token: ${token}` }];
    const inference = { json: { resources: [...models, ...repeats] } };
    const answers = { identity: { json: { access_token: token } }, inference };
    const scenario = { key, source: 'secret storage', answers } as const;
    const { editor } = await useService(opened, scenario, ['refreshToken', 'selectModel']);
    assert.match(editor.textOf('quick pick'), /maker\/model/);
    for (const sink of SINKS) assert.deepEqual(hitsIn(editor.textOf(sink)), [], sink);
  });

  it('finds a secret in each sink and in each form', () => {
    for (const sink of SINKS) {
      for (const [form, write] of Object.entries(writtenDown)) {
        const editor = new SinkEditor();
        editor.sink(sink, `before ${write(key)} after`);
        assert.ok(hitsIn(editor.textOf(sink)).length > 0, `${sink}, ${form}`);
      }
    }
  });
});
