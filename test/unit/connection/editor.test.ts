import assert from 'node:assert/strict';
import {
  compareWithApproved,
  parseDestination,
} from '../../../src/connection/approvedDestination.ts';
import type { KeyRecord } from '../../../src/connection/keyStore.ts';
import { selectEditorSource } from '../../../src/connection/sourceSelection.ts';
import { readServices } from '../../../src/service/addedServices.ts';
import { serviceFor } from '../../../src/service/builtInServices.ts';
import { Secret } from '../../../src/service/secret.ts';
import { found } from './sources.ts';

const service = serviceFor('ibm');
assert.ok(service);
const URL_SETTING = 'https://us-south.ml.cloud.ibm.com';
const { settings } = found({ settings: { url: URL_SETTING, projectId: 'project-1' } });
const record = { apiKey: 'key-1', authUrl: service.authUrl, serviceUrl: URL_SETTING };

const resolve = (own: typeof settings, stored: typeof record | undefined) =>
  selectEditorSource({ settings: own, record: stored && new Secret(stored) });

describe("the editor's credentials", () => {
  it('are ready and bound to the approved hosts if no value is missing', () => {
    const resolution = resolve(settings, record);
    assert.ok(resolution.kind === 'ready');
    assert.deepEqual(resolution.credentials.approved, {
      auth: 'https://iam.cloud.ibm.com',
      service: 'https://us-south.ml.cloud.ibm.com',
    });
  });

  for (const missing of [
    ['apiKey'],
    ['projectId'],
    ['url'],
    ['projectId', 'url'],
    ['apiKey', 'projectId', 'url'],
  ]) {
    it(`A03: are incomplete without ${missing.join(', ')}`, () => {
      const without = {
        ...settings,
        ...(missing.includes('projectId') && { projectId: ' ' }),
        ...(missing.includes('url') && { url: '<URL>' }),
      };
      const resolution = resolve(without, missing.includes('apiKey') ? undefined : record);
      assert.deepEqual(resolution, { kind: 'missing', names: missing });
    });
  }

  const moved: [name: string, change: Partial<typeof settings>][] = [
    ['another service host', { url: 'https://evil.example' }],
    ['another port', { url: `${URL_SETTING}:8443` }],
    ['a trailing dot in the host', { url: 'https://us-south.ml.cloud.ibm.com.' }],
    ['another identity host', { authUrl: 'https://evil.example' }],
  ];
  for (const [name, change] of moved) {
    it(`A13: need approval for ${name}`, () => {
      assert.equal(resolve({ ...settings, ...change }, record).kind, 'unapproved');
    });
  }

  const same: [name: string, change: Partial<typeof settings>][] = [
    ['uppercase letters in the host', { url: 'https://US-South.ml.cloud.ibm.com' }],
    ['the default port', { url: `${URL_SETTING}:443` }],
    ['a trailing slash', { url: `${URL_SETTING}/` }],
    [
      'an endpoint URL from sample code',
      { url: `${URL_SETTING}/ml/v1/text/generation?version=2023-05-29` },
    ],
    ['another project', { projectId: 'project-2' }],
  ];
  for (const [name, change] of same) {
    it(`A13: don't need approval for ${name}`, () => {
      const resolution = resolve({ ...settings, ...change }, record);
      assert.ok(resolution.kind === 'ready');
      assert.equal(resolution.credentials.serviceUrl, URL_SETTING);
    });
  }

  it('need approval if the address changes to http on the same host', () => {
    const at = (authUrl: string) => parseDestination(authUrl, 'http://127.0.0.1:8080', service);
    const [secure, plain] = [at('https://127.0.0.1:8443'), at('http://127.0.0.1:8443')];
    assert.ok(!('setting' in secure) && !('setting' in plain));
    assert.equal(secure.authHost, plain.authHost);
    const stored = { ...secure, apiKey: 'key-1' };
    const changed = { approved: secure, wanted: plain, isEntryChanged: false };
    assert.deepEqual(compareWithApproved(stored, service, plain), changed);
    assert.equal(compareWithApproved(stored, service, secure), 'same');
  });

  describe('for a service with a token command', () => {
    const own = readServices([
      {
        ...{ word: 'acme', api: 'openai', defaultModel: 'm', url: 'https://llm.acme.example/v1' },
        authentication: { kind: 'command', command: ['az', 'account', 'get-access-token'] },
        headers: { 'X-Team': { secret: 'team key' } },
      },
    ]).own[0];
    assert.ok(own);
    const { url, definition } = own;
    const used = { ...settings, service: own, url, authUrl: '', projectId: '' };
    const approved = {
      ...{ apiKey: '', authUrl: '', serviceUrl: url, definition },
      ...{ program: '/usr/bin/az', headerSecrets: { 'team key': 'key of a team' } },
    };
    const select = (stored: KeyRecord, program: string | undefined) =>
      selectEditorSource({ settings: used, record: new Secret(stored), program });

    it("are ready once the command's program is approved", () => {
      const selection = select(approved, '/usr/bin/az');
      assert.ok(selection.kind === 'ready');
      const { program, headerSecrets } = selection.credentials;
      assert.deepEqual([program, headerSecrets], ['/usr/bin/az', approved.headerSecrets]);
    });

    for (const [what, stored, program, change] of [
      ['is now another file', '/usr/bin/az', '/tmp/az', ['/usr/bin/az', '/tmp/az']],
      ['was never approved', undefined, '/usr/bin/az', ['', '/usr/bin/az']],
    ] as const) {
      it(`A13: need approval if the program ${what}`, () => {
        const selection = select({ ...approved, program: stored }, program);
        assert.ok(selection.kind === 'unapproved');
        assert.deepEqual(selection.program, { approved: change[0], wanted: change[1] });
        assert.equal(selection.isEntryChanged, false);
      });
    }

    it('are ready even if the approved program can no longer be found', () => {
      const selection = select(approved, undefined);
      assert.ok(selection.kind === 'ready');
      assert.equal(selection.credentials.program, '/usr/bin/az');
    });

    it('A13: need approval if an argument has changed', () => {
      const selection = select(
        { ...approved, definition: definition?.replace('get-', '') },
        '/usr/bin/az',
      );
      assert.ok(selection.kind === 'unapproved');
      assert.equal(selection.isEntryChanged, true);
      // The prompt about the changed entry also shows the program.
      assert.equal(selection.program?.wanted, '/usr/bin/az');
    });

    it('are incomplete without a header secret', () => {
      const selection = select({ ...approved, headerSecrets: {} }, '/usr/bin/az');
      assert.deepEqual(selection, { kind: 'missing', names: [] });
    });
  });

  for (const projectId of ['my project', 'a/b', '..']) {
    it(`C08: can't be used with the project ID ${projectId}`, () => {
      for (const isProjectOverridden of [true, false]) {
        const resolution = resolve({ ...settings, projectId, isProjectOverridden }, record);
        assert.deepEqual(resolution, { kind: 'bad-project' });
      }
    });
  }

  it("can't be used with an http address for another machine", () => {
    const resolution = resolve({ ...settings, url: 'http://us-south.ml.cloud.ibm.com' }, record);
    assert.deepEqual(resolution, { kind: 'bad-address', setting: 'url', problem: 'not-https' });
  });
});
