import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Disposable, EventEmitter, type FileSystemProvider, Uri, workspace } from 'vscode';
import { readExternalFile } from '../../src/connection/sources.ts';
import { services } from '../../src/service/builtInServices.ts';

const [service] = services;
assert.ok(service);
const text = 'VENDOR_API_KEY=key-no-1\nVENDOR_PROJECT_ID=project-1\nVENDOR_URL=https://a.example\n';
const values = { apiKey: 'key-no-1', projectId: 'project-1', url: 'https://a.example' };

describe('the .env file in a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hosted-model-env-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const env = () => join(folder, '.env');
  const read = (uri = Uri.file(folder)) =>
    readExternalFile({ uri, name: 'x', index: 0 }, { service, isServiceSet: false, services });
  const valuesRead = async () => {
    const { text: found } = await read();
    return found.kind === 'read' ? found.reading.values : found.why;
  };

  for (const [what, content] of Object.entries({
    'plain lines': text,
    'CRLF and a byte order mark': `\ufeff${text.replaceAll('\n', '\r\n')}`,
  })) {
    it(`B18: is read if it has ${what}`, async () => {
      await writeFile(env(), content);
      assert.deepEqual(await valuesRead(), values);
    });
  }

  const rejections: [title: string, why: string, make: () => Promise<unknown>][] = [
    ['B16: is rejected if it is a directory', 'folder', () => mkdir(env())],
    [
      'B16: is rejected at once if it is a pipe',
      'not-a-file',
      async () => execFileSync('mkfifo', [env()]),
    ],
    [
      'B15: is rejected if it is a symbolic link, even to a regular file',
      'symbolic-link',
      async () => {
        await writeFile(join(folder, 'real'), text);
        await symlink('real', env());
      },
    ],
    [
      'B15 B16: is rejected at once if it is a symbolic link to a device',
      'symbolic-link',
      () => symlink('/dev/zero', env()),
    ],
    [
      'B15: is rejected if it is a symbolic link to a directory',
      'symbolic-link',
      () => symlink('/', env()),
    ],
    [
      'B15: is rejected if it is a broken symbolic link',
      'symbolic-link',
      () => symlink('gone', env()),
    ],
    [
      'B15: is rejected if it is a symbolic link to itself',
      'unreadable',
      () => symlink('.env', env()),
    ],
    [
      'B17: is rejected if it is 10 MB',
      'too-large',
      () => writeFile(env(), text.padEnd(10_000_000, '#')),
    ],
    ['B18: is rejected if it is not UTF-8', 'not-text', () => writeFile(env(), text, 'utf16le')],
    ["is reported as missing if it doesn't exist", 'no-file', async () => {}],
  ];
  // On Windows, tests can't create pipes, devices, or sockets in a folder.
  const itAmongFiles = process.platform === 'win32' ? it.skip : it;
  for (const [title, why, make] of rejections) {
    const test = /pipe|device/.test(title) ? itAmongFiles : it;
    test(title, async () => {
      await make();
      assert.equal(await valuesRead(), why);
    });
  }

  itAmongFiles('B16: is rejected if it is a socket', async () => {
    const server = createServer().listen(env());
    await once(server, 'listening');
    assert.equal(await valuesRead(), 'not-a-file');
    server.close();
  });

  it("B23: isn't read in a virtual workspace", async () => {
    let calls = 0;
    const counted = () => {
      calls += 1;
      throw new Error('asked for');
    };
    const provider: FileSystemProvider = {
      onDidChangeFile: new EventEmitter<never>().event,
      watch: () => new Disposable(() => {}),
      stat: counted,
      readFile: counted,
      readDirectory: counted,
      createDirectory: counted,
      writeFile: counted,
      delete: counted,
      rename: counted,
    };
    const registered = workspace.registerFileSystemProvider('virtual-test', provider);
    try {
      const { text: found } = await read(Uri.parse('virtual-test://github/a/b'));
      assert.deepEqual(found, {
        kind: 'unread',
        why: 'virtual',
      });
      assert.equal(calls, 0);
      // This call reaches the provider, which proves that the provider is registered and counts
      // calls.
      await assert.rejects(
        Promise.resolve(workspace.fs.stat(Uri.parse('virtual-test://github/a/b/.env'))),
      );
      assert.equal(calls, 1);
    } finally {
      registered.dispose();
    }
  });
});
