import assert from 'node:assert/strict';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { WorkspaceFolder } from 'vscode';
import { choose } from '../../../src/credentials/sourceSelection.ts';
import { skillTarget } from '../../../src/credentials/sourceView.ts';
import { ACTION_LABELS } from '../../../src/messages/actions.ts';
import { messageFor } from '../../../src/messages/messages.ts';
import { identityFailure, inferenceFailure } from '../../../src/service/failures.ts';
import { dialectOf } from '../../../src/service/generation/dialects.ts';
import { mapParameters } from '../../../src/service/generation/requestBody.ts';
import { redact } from '../../../src/service/secrets.ts';
import { wayOf } from '../../../src/service/token/identity.ts';
import { FakeEditor, installEditor } from '../credentials/fakeEditor.ts';
import { type Changes, envFile, found, REGION, record } from '../credentials/sources.ts';

const PLACE = '/work/hosted-model-skill.json';

describe('the commands about skills', () => {
  let editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  let ran: string[] = [];
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(async () => {
    editor = new FakeEditor();
    editor.addFolder('/work');
    editor.saveTo = PLACE;
    ran = [];
    const { commands } = await import('vscode');
    for (const name of ['setUp', 'openSettings', 'diagnose', 'exportSkill']) {
      commands.registerCommand(`hostedModel.${name}`, async () => void ran.push(name));
    }
  });

  describe('Export as Skill', () => {
    const run = async (changes: Changes = {}) => {
      const { exportSkill } = await import('../../../src/skill/skillCommands.ts');
      const all = found(changes);
      const looked = { found: all, choice: choose(all) };
      const [folder = null] = editor.folders as unknown as WorkspaceFolder[];
      const target = skillTarget(looked);
      const { readSettings } = await import('../../../src/settings.ts');
      const given = { settings: readSettings(), looked, target, folder };
      const service = { mapParameters, dialectOf, wayOf, redact };
      await exportSkill({ ...given, service, labels: ACTION_LABELS });
      return editor.files.get(PLACE);
    };
    /** Where the document leads, and the project that it names. */
    const targetOf = (text = '{}') => {
      const { servers } = JSON.parse(text);
      return [servers?.[0].url, /"project_id": \{[^}]*"default": "([^"]*)"/s.exec(text)?.[1]];
    };

    it('writes a valid document where the user says, shows it, and says what it needs', async () => {
      const text = await run();
      assert.ok(text);
      assert.equal((await new Validator().validate(JSON.parse(text))).valid, true);
      assert.deepEqual(targetOf(text), [REGION, 'project-of-the-user']);
      assert.match(editor.said.join(), /calls us-south\.ml\.cloud\.ibm\.com\. It holds no key/);
      const [dialog] = editor.saveDialogs as { defaultUri: { path: string } }[];
      assert.equal(dialog?.defaultUri.path, PLACE);
    });

    it('takes an approved source outside of the editor as a generation does, without its key', async () => {
      const text = await run({ record: undefined, outside: [envFile(undefined, 'approved')] });
      assert.deepEqual(targetOf(text), ['https://evil.example', 'project-outside']);
      assert.doesNotMatch(text ?? '', /key-outside/);
    });

    it('needs no key', async () => {
      assert.deepEqual(targetOf(await run({ record: undefined })), [REGION, 'project-of-the-user']);
    });

    it('leads to no source that nobody has approved', async () => {
      const expected = [REGION, 'project-of-the-user'];
      const text = await run({ record: undefined, outside: [envFile()] });
      assert.deepEqual(targetOf(text), expected);
    });

    const refused: readonly (readonly [
      what: string,
      changes: Changes,
      said: RegExp,
      fix: string,
    ])[] = [
      ['the service URL is missing', { settings: { url: '' } }, /needs a service URL for/, 'setUp'],
      [
        'URL and project are missing',
        { settings: { url: '', projectId: '' } },
        /needs a project ID and a service URL for/,
        'setUp',
      ],
      [
        'the service URL cannot be used',
        { settings: { url: 'http://model.example' } },
        /service URL .* cannot be used: it must begin with https/,
        'openSettings',
      ],
      [
        'the identity address cannot be used',
        { settings: { authUrl: 'x' } },
        /identity address .* cannot be used/,
        'openSettings',
      ],
      [
        'the key stands where the project belongs',
        { settings: { projectId: record.apiKey } },
        /a key or a token stands where/,
        'openSettings',
      ],
      [
        'the key of another service stands where the project belongs',
        { keys: ['key-of-another-service'], settings: { projectId: 'key-of-another-service' } },
        /a key or a token stands where/,
        'openSettings',
      ],
    ];
    for (const [what, changes, said, fix] of refused) {
      it(`writes nothing where ${what}, and leads to where it is mended`, async () => {
        editor.pressed = fix === 'setUp' ? 'Set Up Credentials' : 'Open Settings';
        assert.equal(await run(changes), undefined);
        assert.deepEqual(editor.saveDialogs, []);
        assert.match(editor.said.join(), said);
        assert.deepEqual(ran, [fix]);
      });
    }

    it('G15: writes nothing where a parameter holds what no service takes, or a token', async () => {
      editor.userSettings.set('parameters', { temperature: 'hot' });
      await assert.rejects(run(), { kind: 'parameter-refused' });
      const token = `eyJ${'a'.repeat(30)}.eyJ${'b'.repeat(30)}.${'c'.repeat(30)}`;
      editor.userSettings.set('parameters', { stop_sequences: [token] });
      assert.equal(await run(), undefined);
      assert.match(editor.said.join(), /a key or a token stands where/);
    });

    it('writes nothing where no place was chosen, and says that a place takes nothing', async () => {
      editor.saveTo = undefined;
      assert.equal(await run(), undefined);
      assert.deepEqual(editor.said, []);
      editor.saveTo = PLACE;
      editor.isReadOnly = true;
      assert.equal(await run(), undefined);
      assert.match(editor.said.join(), /could not be written.*Choose another place/);
      assert.doesNotMatch(editor.said.join(), /EROFS/);
    });
  });

  describe('Explain Error Details', () => {
    const run = async () => {
      const { explainError } = await import('../../../src/skill/skillCommands.ts');
      await explainError({ identityFailure, inferenceFailure, messageFor }, ACTION_LABELS);
      return editor.said.join();
    };

    it('asks for the details, and says what they mean', async () => {
      editor.typed.push('{ "errors": [ { "code": "authentication_token_expired" } ] }');
      editor.pressed = 'Export as Skill…';
      assert.match(await run(), /^Hosted Model: the bearer token has expired\./);
      assert.deepEqual(ran, ['exportSkill']);
    });

    it('offers the selected text where that tells of a failure, and else an empty box', async () => {
      editor.activeFile = '/work/details.json';
      editor.selected = '429 Too Many Requests';
      assert.match(await run(), /Too many requests/);
      const { length } = editor.said;
      editor.selected = 'const a = 1;';
      await run();
      assert.deepEqual([editor.inputs, editor.said.length], [2, length]);
    });

    it('says nothing where nothing was pasted, and what would help where nothing is known', async () => {
      assert.equal(await run(), '');
      editor.typed.push('  ');
      assert.equal(await run(), '');
      editor.typed.push('It is broken.');
      assert.match(await run(), /nothing known is in these error details\. Paste all/);
    });
  });
});
