/** The sample folder and the emulated service for `npm start`, `npm run demo`, and the pictures. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { repositoryRoot } from './install.ts';
import { startVSCodeServer, type VSCodeServer } from './server.ts';

export const demoKey = 'demo-key-0123456789';
export const demoProject = '4d6f8a1c-2b7e-4c35-9f10-6a8e5d3b7c21';

export interface Sample {
  readonly emulator: Emulator;
  readonly server: VSCodeServer;
  readonly folder: string;
  stop(): Promise<void>;
}

/**
 * Starts an emulated service, and a VS Code server with the packaged extension and a copy of the
 * sample folder. Setup offers the emulator in place of the first region, so Enter selects the
 * emulator.
 */
export async function startSample(): Promise<Sample> {
  const temporary = await mkdtemp(join(tmpdir(), 'hosted-model-sample-'));
  const folder = join(temporary, 'sample');
  await cp(join(import.meta.dirname, 'sample'), folder, { recursive: true });
  const emulator = await startEmulator({
    apiKeys: [demoKey],
    projectIds: [demoProject],
    tokenDelayMs: 20,
  });
  const server = await startVSCodeServer({
    folder,
    vsix: join(repositoryRoot, 'hosted-model.vsix'),
    userSettings: { 'hostedModel.authUrl': emulator.url, 'hostedModel.url': emulator.url },
  });
  return {
    emulator,
    server,
    folder,
    stop: async () => {
      await server.stop();
      await emulator.close();
      await rm(temporary, { recursive: true, force: true });
    },
  };
}
