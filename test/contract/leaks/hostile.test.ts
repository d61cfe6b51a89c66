import assert from 'node:assert/strict';
import { FakeKeyring, FakeState } from '../../unit/connection/fakes.ts';
import { formsIn } from '../../unit/service/canaries.ts';
import { key, token } from '../service/echoes.ts';
import { SINKS, SinkEditor } from './sinkEditor.ts';
import { useService } from './useService.ts';
import { type Windows, windows } from './window.ts';

/** Tests how the whole extension handles hostile text. */

const identity = { json: { access_token: token, expires_in: 3_600 } };
const LONGEST_MESSAGE = 200;
const COMMANDS = ['generateFromSelection', 'refreshToken', 'diagnose', 'selectModel', 'showMenu'];
/** Every sink except `document`, which contains responses. */
const OTHERS = SINKS.filter((sink) => sink !== 'document');

describe('the whole extension', () => {
  let opened: Windows;
  before(() => {
    opened = windows(new SinkEditor());
  });
  after(() => opened.end());

  const HOSTILE = [
    '[h0stile](command:workbench.action.terminal.new)',
    '![h0stile](https://h0stile.example/x.png)',
    '<a href="https://h0stile.example">h0stile</a>',
    '\u001b[31mh0stile\u001b[0m',
    '\u202eh0stile\u2066',
    'file:///h0stile $(h0stile)',
    'h0stile '.repeat(2_000),
    'h0stile\r\nh0stile\u2028h0stile',
  ];
  for (const status of [400, 401, 403, 404, 408, 409, 429, 500, 503, 200]) {
    it(`F01 F03 F07 F08 F11: keeps hostile text in a ${status} response out of all sinks`, async () => {
      const message = HOSTILE.join('\n');
      const inference = {
        status,
        headers: { 'x-request-id': '](command:h0stile)' },
        json: {
          errors: [{ code: `](command:h0stile)`, message, more_info: message }],
          trace: message,
          choices: message,
        },
      };
      const rejection = {
        errorCode: message,
        errorMessage: message,
        context: { requestId: message },
      };
      for (const answers of [
        { identity, inference },
        { identity: { status, json: rejection }, inference },
      ]) {
        const scenario = { key, source: 'secret storage', answers } as const;
        const { editor } = await useService(opened, scenario, COMMANDS);
        assert.match(editor.textOf('notification'), /Show Log/);
        for (const text of editor.sunk.get('notification') ?? []) {
          // The document's name is added if the document isn't active.
          assert.ok(text.replace(/^a\.txt: /, '').length <= LONGEST_MESSAGE, text);
        }
        for (const sink of SINKS) assert.doesNotMatch(editor.textOf(sink), /h0stile/i, sink);
      }
    });
  }

  it('F04 F05: escapes setting values in the tooltip, and links only to its own commands', async () => {
    const editor = new SinkEditor();
    editor.userSettings.set(
      'modelId',
      '![x](https://h0stile.example/x.png) <img src=x> [y](command:z)',
    );
    const rejection = { errorCode: 'BXNIM0415E', errorMessage: 'no' };
    const answers = { identity: { status: 400, json: rejection } };
    await useService(opened, { key, source: 'secret storage', answers, editor }, COMMANDS);
    const links = new Set<string>();
    for (const { value, isTrusted, supportHtml } of editor.tooltips) {
      // Removes links to commands. All other markup must be escaped.
      const rest = value.replace(
        /(?<!\\)\[[\w .]+\]\(command:(hostedModel\.\w+)\)/g,
        (_, command) => {
          links.add(command);
          return '';
        },
      );
      assert.doesNotMatch(rest, /(?<!\\)[[\]()<]/);
      assert.equal(supportHtml, undefined);
      const { enabledCommands } = (isTrusted ?? { enabledCommands: [] }) as {
        enabledCommands: string[];
      };
      for (const command of enabledCommands) assert.match(command, /^hostedModel\.\w+$/);
    }
    assert.deepEqual([...links], ['hostedModel.setUp']);
    assert.match(editor.textOf('tooltip'), /h0stile.*not a valid model ID/);
  });

  it('E06: keeps prompts, responses, and headers out of all sinks except the document', async () => {
    const editor = new SinkEditor();
    editor.text = 'pr0mpt of a person';
    const answer = 'answ3r of a model';
    const events = [
      { choices: [{ delta: { content: answer } }] },
      { choices: [{ delta: { content: '' }, finish_reason: 'stop' }] },
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const inference = {
      headers: { 'content-type': 'text/event-stream', 'x-trace': 'h3ader' },
      body: events.join(''),
    };
    const scenario = { key, source: 'secret storage', answers: { identity, inference } } as const;
    const commands = ['generateFromSelection', 'showLastResponse', 'diagnose'];
    const { requests } = await useService(opened, { ...scenario, editor }, commands);
    assert.ok(requests.some(({ text }) => text.includes('pr0mpt')));
    assert.match(editor.textOf('log'), /generated \d+ tokens/);
    assert.match(editor.textOf('document'), /answ3r/);
    for (const sink of OTHERS) {
      assert.doesNotMatch(editor.textOf(sink), /pr0mpt|answ3r|h3ader|authorization|bearer/i, sink);
    }
  });

  it('E05: logs only the name of an error that occurs in the background', async () => {
    class FailingKeyring extends FakeKeyring {
      override window() {
        const fail = async () => {
          throw new Error(`cannot read ${key}`);
        };
        return super.window({ keys: fail, get: fail });
      }
    }
    class FailingState extends FakeState {
      override get<Value>(): Value {
        throw new TypeError(`cannot read ${key}`);
      }
    }
    const editor = new SinkEditor();
    const stores = { keyring: new FailingKeyring(), workspaceState: new FailingState() };
    const scenario = { key, source: 'secret storage', editor, stores } as const;
    await useService(opened, scenario, COMMANDS);
    // Errors thrown by the fake stores contain the key, but users never see these errors.
    const shown = SINKS.filter((sink) => sink !== 'thrown error');
    for (const sink of shown) assert.deepEqual(formsIn(editor.textOf(sink), key), [], sink);
    assert.equal(editor.textOf('process warning'), '');
    assert.match(editor.textOf('log'), /background work failed: TypeError/);
  });

  it('E14: generates text even if writing to the log fails', async () => {
    const editor = new SinkEditor();
    editor.onLog = () => {
      throw new Error('ENOSPC');
    };
    const commands = ['generateFromSelection', 'showLastResponse', 'refreshToken', 'diagnose'];
    const scenario = { key, source: 'secret storage', editor } as const;
    await useService(opened, scenario, commands);
    assert.match(editor.textOf('document'), /^Hello from/m);
    assert.match(editor.textOf('notification'), /The token was refreshed/);
    assert.equal(editor.textOf('thrown error'), '');
  });

  it('E13: copies only the requested report to the clipboard', async () => {
    const scenario = { key, source: 'secret storage', answers: { identity } } as const;
    const { editor } = await useService(opened, scenario, COMMANDS);
    assert.equal(editor.textOf('clipboard'), editor.textOf('report'));
    assert.notEqual(editor.textOf('report'), '');
  });
});
