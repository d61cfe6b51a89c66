import assert from 'node:assert/strict';
import { checkedSourcesText } from '../../../src/connection/sourceMessages.ts';
import {
  choose,
  chooseWithoutFolder,
  type SourceSelection,
  serviceInUse,
} from '../../../src/connection/sourceSelection.ts';
import { services } from '../../../src/service/builtInServices.ts';
import { ibm } from '../service/fixtures.ts';
import {
  EVIL,
  envFile,
  environment,
  found,
  full,
  noFile,
  REGION,
  record,
  unreadFile,
} from './sources.ts';

function hostOf(choice: SourceSelection): string {
  assert.ok(choice.kind === 'ready', choice.kind);
  return new URL(choice.credentials.serviceUrl).host;
}

function otherKeysOf(choice: SourceSelection): string[] | undefined {
  assert.ok(choice.kind === 'ready', choice.kind);
  return choice.credentials.otherKeys?.map(({ apiKey }) => apiKey);
}

describe('source selection', () => {
  it('prefers the editor over an approved .env file', () => {
    const choice = choose(found({ external: [envFile(full, 'approved')] }));
    assert.ok(choice.kind === 'ready' && choice.source === 'editor');
    assert.equal(choice.credentials.apiKey, record.apiKey);
  });

  it('prefers an approved .env file over an approved environment', () => {
    const external = [envFile(full, 'approved'), environment(full, 'approved')];
    const choice = choose(found({ record: undefined, external }));
    assert.ok(choice.kind === 'ready' && choice.source === 'envFile');
    assert.deepEqual(
      [choice.credentials.apiKey, choice.credentials.projectId, choice.credentials.serviceUrl],
      [full.key, full.project, full.url],
    );
    assert.deepEqual(choice.credentials.approved, { auth: ibm.authUrl, service: EVIL });
  });

  it('prefers an approved environment over an unapproved .env file', () => {
    const external = [envFile(), environment(full, 'approved')];
    const choice = choose(found({ record: undefined, external }));
    assert.ok(choice.kind === 'ready' && choice.source === 'environment');
  });

  it('B06: ignores a .env file with only an address if a key is stored', () => {
    assert.equal(
      hostOf(choose(found({ external: [envFile({ url: EVIL })] }))),
      new URL(REGION).host,
    );
  });

  it('B12: ignores environment variables that provide only an address if a key is stored', () => {
    const external = [environment({ url: EVIL })];
    assert.equal(hostOf(choose(found({ external }))), new URL(REGION).host);
  });

  it('E12: treats keys from unused sources as secrets', () => {
    const keys = ['key-of-the-env-file', 'key-of-the-environment'];
    const [first, second] = keys.map((key) => ({ ...full, key }));
    const choice = choose(found({ external: [envFile(first), environment(second)] }));
    assert.ok(choice.kind === 'ready');
    assert.deepEqual(otherKeysOf(choice), keys);
    const externalChoice = choose(
      found({ external: [envFile(full, 'approved')], settings: { credentialSource: 'envFile' } }),
    );
    assert.ok(externalChoice.kind === 'ready');
    assert.deepEqual(otherKeysOf(externalChoice), [record.apiKey]);
  });

  it('treats even short keys from unused sources as secrets', () => {
    const external = [envFile({ ...full, key: 'test' }), environment({ ...full, key: '12345678' })];
    const inEditor = choose(found({ external }));
    assert.ok(inEditor.kind === 'ready');
    assert.deepEqual(otherKeysOf(inEditor), ['test', '12345678']);
  });

  for (const [id, source] of [
    ['B06', envFile({ url: EVIL })],
    ['B12', environment({ url: EVIL })],
  ] as const) {
    it(`${id}: doesn't use a source's address if the source lacks a key`, () => {
      for (const decision of ['approved', undefined] as const) {
        const all = found({
          record: undefined,
          settings: { url: '' },
          external: [{ ...source, decision }],
        });
        assert.deepEqual(choose(all), { kind: 'missing', names: ['apiKey', 'url'] });
        const summary = 'lacks VENDOR_API_KEY and VENDOR_PROJECT_ID';
        assert.ok(checkedSourcesText(all).includes(`(${summary})`), checkedSourcesText(all));
      }
    });
  }

  it('never combines values from different sources', () => {
    const parts: Partial<typeof full>[] = [
      { key: full.key },
      { project: full.project },
      { url: full.url },
      { key: full.key, project: full.project },
      { key: full.key, url: full.url },
      { project: full.project, url: full.url },
    ];
    for (const inFile of parts) {
      for (const inEnvironment of parts) {
        const external = [envFile(inFile, 'approved'), environment(inEnvironment, 'approved')];
        const choice = choose(found({ record: undefined, external }));
        assert.deepEqual(choice, { kind: 'missing', names: ['apiKey'] });
      }
    }
  });

  it('B08: asks the user to approve the hosts if the .env file is complete', () => {
    const choice = choose(found({ record: undefined, external: [envFile()] }));
    assert.ok(choice.kind === 'ask-source');
    assert.equal(choice.source.destination.serviceHost, 'evil.example');
    assert.equal(choice.source.destination.authHost, 'iam.cloud.ibm.com');
  });

  it("B09: doesn't prompt about a .env file that the user declined", () => {
    const choice = choose(found({ record: undefined, external: [envFile(full, 'declined')] }));
    assert.deepEqual(choice, { kind: 'missing', names: ['apiKey'] });
  });

  it('B11: prompts separately about the environment after the .env file is declined', () => {
    const external = [envFile(full, 'declined'), environment()];
    const choice = choose(found({ record: undefined, external }));
    assert.ok(choice.kind === 'ask-source' && choice.source.id === 'environment');
  });

  it('A11 B10: takes the identity address only from the user settings', () => {
    const choice = choose(
      found({
        record: undefined,
        settings: { authUrl: 'https://identity.company.example' },
        external: [envFile(full, 'approved')],
      }),
    );
    assert.ok(choice.kind === 'ready');
    assert.equal(choice.credentials.authUrl, 'https://identity.company.example');
  });

  it('A11: prompts even if only the identity address has changed', () => {
    const settings = { authUrl: 'https://identity.company.example' };
    assert.equal(choose(found({ settings })).kind, 'unapproved');
  });

  it("doesn't use any values from a source with a malformed value", () => {
    const external = [envFile({ ...full, key: '"key-outside"' }, 'approved')];
    const choice = choose(found({ record: undefined, external }));
    assert.deepEqual(choice, { kind: 'missing', names: ['apiKey'] });
  });

  for (const [what, inFile] of [
    ['a malformed value', { ...full, key: '"key-outside"' }],
    ['a missing value', { key: full.key, url: full.url }],
    ['only an address', { url: full.url }],
  ] as const) {
    it(`doesn't fall back to the environment if the .env file has ${what}`, () => {
      for (const answer of ['approved', undefined] as const) {
        const external = [envFile(inFile), environment(full, answer)];
        const all = found({ record: undefined, external });
        assert.deepEqual(choose(all), { kind: 'missing', names: ['apiKey'] });
      }
    });
  }

  for (const why of [
    'symbolic-link',
    'not-a-file',
    'too-large',
    'not-text',
    'unreadable',
  ] as const) {
    it(`doesn't use the environment if the .env file can't be read (${why})`, () => {
      for (const answer of ['approved', undefined] as const) {
        const external = [unreadFile(why), environment(full, answer)];
        const all = found({ record: undefined, external });
        assert.deepEqual(choose(all), { kind: 'missing', names: ['apiKey'] });
      }
    });
  }

  for (const why of ['no-folder', 'virtual', 'no-file', 'folder'] as const) {
    it(`uses the environment if there is no .env file (${why})`, () => {
      const external = [unreadFile(why), environment(full, 'approved')];
      const choice = choose(found({ record: undefined, external }));
      assert.ok(choice.kind === 'ready' && choice.source === 'environment');
    });
  }

  it("reports that the environment won't be used until the .env file is fixed", () => {
    for (const answer of ['approved', undefined] as const) {
      for (const file of [envFile({ url: full.url }), unreadFile('not-text')]) {
        const external = [file, environment(full, answer)];
        const text = checkedSourcesText(found({ record: undefined, external }));
        assert.match(text, /the environment \(not used until the \.env file is fixed\)/);
      }
    }
  });

  it('uses the environment if the .env file contains no known variables', () => {
    const external = [envFile({}), environment(full, 'approved')];
    const choice = choose(found({ record: undefined, external }));
    assert.ok(choice.kind === 'ready' && choice.source === 'environment');
  });

  it("prompts instead of using another source if a stored key's hosts have changed", () => {
    const external = [envFile(full, 'approved')];
    const choice = choose(found({ settings: { url: 'https://other.example' }, external }));
    assert.equal(choice.kind, 'unapproved');
  });

  describe('with a source in hostedModel.credentialSource', () => {
    const settings = { credentialSource: 'envFile' } as const;
    const ofEnvironment = { credentialSource: 'environment' } as const;
    const ofEditor = { credentialSource: 'editor' } as const;

    it('uses the selected .env file even if the editor has credentials', () => {
      const choice = choose(found({ external: [envFile(full, 'approved')], settings }));
      assert.ok(choice.kind === 'ready' && choice.source === 'envFile');
    });

    it('uses the selected environment even if a .env file is approved', () => {
      const external = [envFile(full, 'approved'), environment(full, 'approved')];
      const choice = choose(found({ external, settings: ofEnvironment }));
      assert.ok(choice.kind === 'ready' && choice.source === 'environment');
    });

    it("prompts if the selected source isn't approved", () => {
      assert.equal(choose(found({ external: [envFile()], settings })).kind, 'ask-source');
    });

    it('uses the automatic order if the selected source is declined or untrusted', () => {
      const text = { kind: 'unread', why: 'untrusted' } as const;
      for (const source of [
        envFile(full, 'declined'),
        { id: 'envFile', text, decision: undefined } as const,
      ]) {
        const choice = choose(found({ external: [source], settings }));
        assert.ok(choice.kind === 'ready' && choice.source === 'editor');
      }
    });

    it("doesn't switch to another account if the selected source can't be used", () => {
      for (const source of [envFile({ key: full.key }), envFile({ ...full, key: '"k"' }), noFile]) {
        const choice = choose(found({ external: [source], settings }));
        assert.deepEqual(choice, { kind: 'source-unusable', source });
      }
    });

    for (const [what, inFile] of [
      ['a malformed value', { ...full, key: '"key-outside"' }],
      ['a missing value', { key: full.key, url: full.url }],
    ] as const) {
      it(`ignores a .env file with ${what} if another source is selected`, () => {
        const external = [envFile(inFile), environment(full, 'approved')];
        const chosen = choose(found({ external, record: undefined, settings: ofEnvironment }));
        assert.ok(chosen.kind === 'ready' && chosen.source === 'environment');
        const editor = choose(found({ external, settings: ofEditor }));
        assert.ok(editor.kind === 'ready' && editor.source === 'editor');
      });
    }

    it("doesn't fall back to another source if the source is the editor", () => {
      const external = [envFile(full, 'approved'), environment(full, 'approved')];
      const lacking = found({ record: undefined, external, settings: ofEditor });
      assert.deepEqual(choose(lacking), { kind: 'missing', names: ['apiKey'] });
      const settings = { ...ofEditor, url: 'us-south' };
      assert.equal(choose(found({ external, settings })).kind, 'bad-address');
    });

    it('reports an invalid identity address instead of an unselected, incomplete .env file', () => {
      const external = [envFile({ key: full.key }), environment(full, 'approved')];
      const settings = { ...ofEnvironment, authUrl: 'iam.cloud.ibm.com' };
      const choice = choose(found({ external, settings }));
      assert.ok(choice.kind === 'bad-address' && choice.setting === 'authUrl');
    });

    it('reports an unknown service instead of using the selected source', () => {
      const problem = { word: 'nobody' };
      const external = [envFile(full, 'approved')];
      const all = found({ external, settings: { ...settings, serviceProblem: problem } });
      assert.deepEqual(choose(all), { kind: 'bad-service', problem });
    });

    it('reports an invalid value, and uses no source', () => {
      const external = [envFile(full, 'approved'), environment(full, 'approved')];
      for (const key of [record, undefined]) {
        const all = found({ external, record: key, settings: { credentialSource: 'invalid' } });
        for (const select of [choose, chooseWithoutFolder]) {
          assert.deepEqual(select(all), { kind: 'bad-source' });
        }
      }
    });

    it('applies the setting even if no folder is open', () => {
      const external = [noFile, environment(full, 'approved')];
      const kindOf = (settings: Parameters<typeof found>[0]) => {
        const choice = chooseWithoutFolder(found({ external, ...settings }));
        return choice.kind === 'ready' ? choice.source : choice.kind;
      };
      assert.equal(kindOf({}), 'editor');
      assert.equal(kindOf({ settings: ofEditor }), 'editor');
      assert.equal(kindOf({ settings: ofEnvironment }), 'environment');
      assert.equal(kindOf({ settings }), 'source-unusable');
      assert.equal(kindOf({ record: undefined }), 'missing');
    });
  });

  it('reports an invalid identity address if it blocks every source', () => {
    const settings = { authUrl: 'iam.cloud.ibm.com' };
    const external = [envFile(full, 'approved')];
    assert.deepEqual(choose(found({ record: undefined, settings, external })), {
      kind: 'bad-address',
      setting: 'authUrl',
      problem: 'not-a-url',
    });
  });

  it('reports an invalid identity address unless the affected .env file is declined', () => {
    const kindOf = (answer: 'declined' | undefined) => {
      const file = envFile(full, answer);
      const all = found({ record: undefined, settings: { authUrl: 'iam.cloud.ibm.com' } });
      const external = [
        { ...file, destination: { setting: 'authUrl', problem: 'not-a-url' } as const },
        { ...environment(full, 'approved'), service: ibm },
      ];
      return choose({ ...all, external }).kind;
    };
    assert.equal(kindOf(undefined), 'bad-address');
    assert.equal(kindOf('declined'), 'ready');
  });

  it("treats a source's service as in use even before the source is approved", () => {
    const service = services[1] ?? assert.fail();
    const serviceOf = (external: ReturnType<typeof envFile>[]) => {
      const all = found({ record: undefined, external, settings: { service } });
      const choice = choose(all);
      assert.ok(choice.kind !== 'ready');
      return serviceInUse({ found: all, choice });
    };
    assert.equal(serviceOf([envFile()]), ibm);
    assert.equal(serviceOf([]), service);
  });

  describe('with a project in the folder settings', () => {
    const settings = { projectId: 'project-of-the-folder', isProjectOverridden: true };
    it('reports a malformed project instead of using another source', () => {
      const external = [envFile(full, 'approved')];
      const malformed = { ...settings, projectId: 'project of the folder' };
      assert.deepEqual(choose(found({ settings: malformed, external })), {
        kind: 'bad-project',
      });
    });

    it("uses the project only with the editor's credentials", () => {
      const external = [envFile(full, 'approved')];
      const choice = choose(found({ settings, record: undefined, external }));
      assert.ok(choice.kind === 'ready');
      assert.equal(choice.credentials.projectId, full.project);
    });
  });
});
