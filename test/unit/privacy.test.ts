import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import manifest from '../../package.json' with { type: 'json' };
import type { Authentication } from '../../src/service/authentication.ts';
import { services } from '../../src/service/builtInServices.ts';
import { filesIn } from '../filesIn.ts';
import { hostsTable } from './hostsTable.ts';

const page = readFileSync('docs/privacy.md', 'utf8');
const named = new Set(
  [...page.matchAll(/^\| `([\w-]+(?:\.[\w-]+)+)` \|/gm)].map(([, host]) => host),
);

/**
 * Returns the hosts of all web addresses in `text`, except for `.example` domains and the loopback
 * address.
 */
const hostsIn = (text: string): string[] =>
  [...text.matchAll(/https?:\/\/([\w-]+(?:\.[\w-]+)+)/g)]
    .flatMap(([, host]) => host ?? [])
    .filter((host) => !host.endsWith('.example') && host !== '127.0.0.1');

const withoutComments = (source: string): string =>
  source.replaceAll(/^\s*(\*|\/\/|\/\*).*$/gm, '');

describe('the privacy page', () => {
  const inCode = filesIn('src/**/*.ts').flatMap((path) =>
    hostsIn(withoutComments(readFileSync(path, 'utf8'))),
  );
  const inManifest = hostsIn(JSON.stringify(manifest.contributes));

  const ofServices = services
    .flatMap(({ authUrl, keyPage, regions }) => [
      authUrl,
      keyPage,
      ...regions.map(({ url }) => url),
    ])
    .filter(Boolean)
    .map((address) => new URL(address).host);

  it('lists exactly the hosts in the code and the manifest', () => {
    const hosts = new Set([...inCode, ...inManifest, ...ofServices]);
    assert.deepEqual([...named].sort(), [...hosts].sort());
  });

  it("lists each built-in service's identity service, regions, and key page", () => {
    assert.ok(ofServices.length > 7);
    assert.deepEqual(
      ofServices.filter((host) => !named.has(host)),
      [],
      'run: npm run pages. Then add key pages to Hosts whose pages can open in your browser',
    );
  });

  it("specifies whether a service's host receives tokens, the key, or neither", () => {
    const cellOf = (authentication: Authentication) => {
      const [ibm] = services;
      const table = hostsTable([{ ...ibm, authUrl: '', authentication }]);
      const [, cell] = /^\| `us-south[^|]*\|[^|]*\| ([^|]*) \|$/m.exec(table) ?? [];
      return cell;
    };
    const generated = 'the text you send';
    for (const [authentication, expected] of [
      [{ kind: 'cloudPak' }, `tokens, and ${generated}`],
      [{ kind: 'command', command: ['print-token'] }, `tokens, and ${generated}`],
      [{ kind: 'zenApiKey' }, `the API key, and ${generated}`],
      [{ kind: 'apiKey', header: 'api-key' }, `the API key, and ${generated}`],
      [{ kind: 'none' }, generated],
    ] as const) {
      assert.equal(cellOf(authentication), expected, authentication.kind);
    }
  });

  it('may omit hosts that appear only in comments', () => {
    assert.deepEqual(
      hostsIn(withoutComments("  url: 'https://new.host.com/path',\n// https://a.b")),
      ['new.host.com'],
    );
  });
});
