import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { KeyStore } from '../../../src/connection/keyStore.ts';
import { SourceApprovals } from '../../../src/connection/sourceApprovals.ts';
import type { Choice, Lookup } from '../../../src/connection/sourceSelection.ts';
import { Secret } from '../../../src/service/secret.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { connectionOf } from '../service/fixtures.ts';
import { FakeEditor, installEditor } from './fakeEditor.ts';
import { FakeKeyring, FakeState } from './fakes.ts';

const IDENTITY = 'https://identity.example';
const SERVICE = 'https://service.example';
const OTHER = 'https://other.example';
const stored = { apiKey: 'key-that-is-stored', authUrl: IDENTITY, serviceUrl: SERVICE };
const ofOther = { apiKey: 'key-of-another-service', authUrl: OTHER, serviceUrl: OTHER };
const own = { url: SERVICE, projectId: 'my-project' };
const file = 'VENDOR_API_KEY=key-in-the-file\n';
const complete = `${file}VENDOR_PROJECT_ID=project-in-the-file\nVENDOR_URL=${OTHER}\n`;
const variables = {
  VENDOR_API_KEY: 'key-in-the-environment',
  VENDOR_PROJECT_ID: 'project-in-the-environment',
  VENDOR_URL: OTHER,
};
const SECRETS = [
  stored.apiKey,
  ofOther.apiKey,
  'key-in-the-file',
  'key-in-the-environment',
] as const;

interface Case {
  readonly kind: Choice['kind'];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly envFile?: string;
  readonly isStored?: boolean;
}

const cases: readonly Case[] = [
  { kind: 'ready', settings: own },
  { kind: 'missing', settings: { url: SERVICE }, envFile: file },
  { kind: 'unapproved', settings: { ...own, url: OTHER } },
  { kind: 'ask-source', settings: {}, isStored: false },
  { kind: 'source-unusable', settings: { ...own, credentialSource: 'envFile' }, envFile: file },
  { kind: 'bad-address', settings: { ...own, authUrl: 'http://plain.example' } },
  { kind: 'bad-project', settings: { ...own, projectId: 'my project' } },
  { kind: 'bad-source', settings: { ...own, credentialSource: 'envfile' } },
  { kind: 'bad-service', settings: { ...own, service: 'unknown' } },
];

/**
 * Converts a lookup to text with each method that code outside `src/connection` could use. Returns
 * the results, keyed by method name.
 */
function textsOf({ found, choice }: Lookup): Readonly<Record<string, string>> {
  const all = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity } as const;
  const hidden = { ...all, showHidden: true, getters: true } as const;
  const inspected = (value: object) => inspect(value, { ...hidden, customInspect: false });
  const values = [found, choice, ...found.external];
  const copies = values.map((value) => ({ ...value }));
  // Omits the folder, because it can contain a VS Code object, which can't be cloned.
  const clonable = { choice, found: { ...found, folder: undefined } };
  return {
    JSON: JSON.stringify({ found, choice }),
    'JSON of copies': JSON.stringify(copies),
    inspect: inspect({ found, choice }, all),
    'inspect with hidden fields': inspect({ found, choice }, hidden),
    'inspect without custom functions': inspected({ found, choice }),
    'inspect of copies': inspected(copies),
    structuredClone: inspected(structuredClone(clonable)),
  };
}

const TOKEN = 'an-access-token-0123456789';

describe('a lookup', () => {
  let editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());

  /**
   * Sets up a window for a case, and returns the window's lookups from `peek`, `peekWithProgress`,
   * and `current`.
   */
  const lookupsOf = async ({ settings, envFile = complete, isStored = true }: Case) => {
    editor = new FakeEditor();
    editor.addFolder('/work');
    editor.activeFile = '/work/a.txt';
    editor.files.set('/work/.env', envFile);
    const all = { authUrl: IDENTITY, ...settings };
    for (const [name, value] of Object.entries(all)) editor.userSettings.set(name, value);
    const secrets = new FakeKeyring().window();
    const keys = new KeyStore(secrets, new FakeState(), assert.fail);
    if (isStored) await keys.write(stored, 'ibm');
    await keys.write(ofOther, 'openai');
    const { Connections } = await import('../../../src/connection/connections.ts');
    const connections = new Connections({
      keys,
      approvals: new SourceApprovals(secrets, new FakeState()),
      workspaceState: new FakeState(),
      environment: variables,
      runtime: new ServiceRuntime({ http: { fetch: () => assert.fail('nothing is sent') } }),
      runSetUp: async () => assert.fail('nothing is asked'),
      inBackground: (work) => void work.catch(assert.ifError),
    });
    const peeked = await connections.peek();
    const withProgress = await connections.peekWithProgress();
    const { current } = connections;
    connections.dispose();
    assert.ok(current);
    return { peeked, withProgress, current };
  };

  for (const one of cases) {
    it(`E01: doesn't expose keys in its result (${one.kind})`, async () => {
      const lookups = await lookupsOf(one);
      for (const [way, lookup] of Object.entries<Lookup>(lookups)) {
        assert.equal(lookup.choice.kind, one.kind);
        const known = Secret.open(lookup.found.keys).map(({ apiKey }) => apiKey);
        const isRead = (secret: string) => secret !== stored.apiKey || one.isStored !== false;
        assert.deepEqual(new Set(known), new Set(SECRETS.filter(isRead)));
        for (const [form, text] of Object.entries(textsOf(lookup))) {
          const shown = SECRETS.filter((secret) => text.includes(secret));
          assert.deepEqual(shown, [], `${way}: ${form}`);
        }
      }
    });
  }

  it("E01: doesn't expose the access token of its connection", async () => {
    const fetch = async () => Response.json({ access_token: TOKEN, expires_in: 3_600 });
    const runtime = new ServiceRuntime({ http: { fetch } });
    const connection = connectionOf({}, runtime);
    await connection.refreshToken(new AbortController().signal);
    const text = inspect(connection, {
      ...{ depth: Number.POSITIVE_INFINITY, showHidden: true },
      ...{ getters: true, customInspect: false },
    });
    runtime.dispose();
    assert.match(text, /tokens/);
    assert.ok(!text.includes(TOKEN));
  });
});
