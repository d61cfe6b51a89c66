import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readServices } from '../../../src/service/addedServices.ts';
import { Connection } from '../../../src/service/connection.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { startEmulator } from '../../emulator/emulator.ts';
import { defaultApiKey } from '../../emulator/settings.ts';
import { ratioTo, rowsWithRatios } from '../contest.ts';
import type { Question } from '../question.ts';

const titles = { command: 'token command of 300 ms', key: 'API key' } as const;
const ROUNDS = 40;

/** Prints a token after 300 ms. Each run adds a byte to a file so that runs can be counted. */
const SCRIPT = `
import { appendFileSync } from 'node:fs';
const [token, runs] = process.argv.slice(2);
appendFileSync(runs, '.');
setTimeout(() => console.log(token), 300);
`;

/** Makes a call, and returns the time until its first character arrives, in milliseconds. */
async function firstCharacter(connection: Connection): Promise<number> {
  const start = performance.now();
  const first = Promise.withResolvers<number>();
  const done = connection.generateText('Hello', {
    onText: () => first.resolve(performance.now() - start),
  });
  await Promise.all([first.promise, done]);
  return first.promise;
}

const question: Question = {
  title: 'First character of the second generation, with a token command',
  goal: '1 run of the command, ≤ 1.10 × an API key',
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'token-command-'));
    const [script, runs] = [join(folder, 'token.mjs'), join(folder, 'runs')];
    writeFileSync(script, SCRIPT);
    const emulator = await startEmulator({ keyHeader: 'authorization' });
    const runtime = new ServiceRuntime();
    const connect = (authentication: object, credentials: Partial<Credentials>) => {
      const entry = {
        word: 'acme',
        api: 'openai',
        prefix: '/v1',
        defaultModel: 'a',
        authentication,
      };
      const [service] = readServices([entry]).own;
      if (!service) throw new Error('The service entry is invalid.');
      const { url } = emulator;
      const own = { service, apiKey: '', projectId: '', authUrl: url, serviceUrl: url };
      return new Connection(
        {
          credentials: { ...own, approved: { auth: url, service: url }, ...credentials },
          source: 'editor',
          reason: '',
          modelId: 'ibm/granite-4-h-small',
          operation: 'chat',
          parameters: {},
          limits: { limit: 1, queue: 1, minIntervalMs: 0 },
        },
        runtime,
      );
    };
    try {
      const command = [process.execPath, script, defaultApiKey, runs];
      const connections = {
        command: connect({ kind: 'command', command }, { program: process.execPath }),
        key: connect({ kind: 'apiKey' }, { apiKey: defaultApiKey }),
      };
      const times = { command: [] as number[], key: [] as number[] };
      await firstCharacter(connections.command);
      await firstCharacter(connections.key);
      for (let round = 0; round < ROUNDS; round += 1) {
        const names = round % 2 ? (['key', 'command'] as const) : (['command', 'key'] as const);
        for (const name of names) times[name].push(await firstCharacter(connections[name]));
      }
      const rows = rowsWithRatios(
        new Map(Object.entries(times) as ['command' | 'key', number[]][]),
        {
          product: 'command',
          titles,
          unit: 'ms',
        },
      );
      const runCount = readFileSync(runs).length;
      const count = { name: 'runs of the command', value: runCount, unit: '' };
      const isMet = runCount === 1 && ratioTo(rows, titles.key) <= 1.1;
      return { rows: [...rows, count], isMet };
    } finally {
      runtime.dispose();
      await emulator.close();
      rmSync(folder, { recursive: true });
    }
  },
};
export default question;
