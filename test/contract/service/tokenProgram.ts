import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readServices } from '../../../src/service/addedServices.ts';
import type { Service } from '../../../src/service/service.ts';
import { tokenPath } from './world.ts';

/** Creates real programs that print tokens, and detects when processes end. */

/**
 * A script that exchanges the key in its arguments for a token. Each run adds a byte to a file, so
 * that runs can be counted.
 */
const SCRIPT = `
import { appendFileSync } from 'node:fs';
const [url, apikey, runs] = process.argv.slice(2);
appendFileSync(runs, '.');
const body = new URLSearchParams({ grant_type: 'urn:ibm:params:oauth:grant-type:apikey', apikey });
const answer = await fetch(url, { method: 'POST', body });
if (!answer.ok) process.exit(1);
console.log((await answer.json()).access_token);
`;

export interface TokenProgram {
  /** Returns the command that gets a token from the emulator at this address. */
  readonly command: (url: string, key: string) => readonly [program: string, ...string[]];
  /** Number of runs so far. */
  readonly runs: () => number;
}

const folders: string[] = [];

export function makeTokenProgram(): TokenProgram {
  const folder = mkdtempSync(join(tmpdir(), 'token-program-'));
  folders.push(folder);
  const [script, runs] = [join(folder, 'printToken.mjs'), join(folder, 'runs')];
  writeFileSync(script, SCRIPT);
  writeFileSync(runs, '');
  return {
    command: (url, key) => [process.execPath, script, url + tokenPath, key, runs],
    runs: () => readFileSync(runs).length,
  };
}

/** Deletes the programs that the test created. Call this function in `afterEach`. */
export function deletePrograms(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}

/** Returns an added service that gets its token from this command. */
export function commandService(command: readonly string[], more: object = {}): Service {
  const entry = {
    ...{ word: 'acme', api: 'openai', prefix: '/v1', defaultModel: 'ibm/granite-4-h-small' },
    authentication: { kind: 'command', command },
    ...more,
  };
  const [service] = readServices([entry]).own;
  if (!service) throw new Error('The service entry is invalid.');
  return service;
}

/** Detects when other processes end, by watching their connections to this process. */
export interface WatchedProcesses {
  /**
   * A JavaScript statement that another process runs to connect to this process. The connection
   * keeps the other process running.
   */
  readonly join: string;
  /** Resolves with the IDs of the first `count` processes that join. */
  readonly joined: (count: number) => Promise<readonly number[]>;
  /** Sends a line to all processes that have joined. */
  readonly sendLine: (line: string) => void;
  /** Resolves when every process that joined has ended. */
  readonly allEnded: () => Promise<void>;
  readonly close: () => void;
}

export async function watchProcesses(): Promise<WatchedProcesses> {
  const ids: number[] = [];
  const ends: Promise<void>[] = [];
  const sockets: Socket[] = [];
  let look = () => {};
  const serve = (socket: Socket) => {
    sockets.push(socket);
    ends.push(
      new Promise((resolve) => {
        socket.on('close', () => resolve());
      }),
    );
    socket.on('error', () => {});
    socket.once('data', (id) => {
      ids.push(Number(id));
      look();
    });
  };
  const server = createServer(serve);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    join: `const s=require('net').connect(${port},'127.0.0.1',()=>s.write(String(process.pid)))`,
    joined: (count) =>
      new Promise((resolve) => {
        look = () => {
          if (ids.length >= count) resolve(ids.slice(0, count));
        };
        look();
      }),
    sendLine: (line) => {
      for (const socket of sockets) socket.write(line);
    },
    allEnded: async () => {
      await Promise.all(ends);
    },
    close: () => server.close(),
  };
}
