import { readSettings } from '../../src/config/settings.ts';
import { RecentJobs } from '../../src/generate/recentJobs.ts';
import type { GenerateDeps } from '../../src/generate/runJob.ts';
import { services } from '../../src/service/builtInServices.ts';
import type { Credentials } from '../../src/service/credentials.ts';
import { isKind, type ServiceError } from '../../src/service/errors.ts';
import { ServiceRuntime } from '../../src/service/serviceRuntime.ts';
import type { Template } from '../../src/templates/template.ts';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { defaultApiKey, defaultProjectId } from '../emulator/settings.ts';
import { connectionOf } from '../unit/service/fixtures.ts';
import { close, closing } from './jobs.ts';

export const chatPath = '/ml/v1/text/chat_stream';

/** A template whose responses the service truncates after a few words. */
export const CUT_SHORT: Template = {
  name: 'short',
  prompt: `$\{selection}`,
  origin: 'test',
  parameters: { max_new_tokens: 12 },
};

interface Reported {
  readonly kind: ServiceError['kind'];
  readonly prefix: string;
}

/**
 * A generation's dependencies, with an emulated service on a real socket. `saving.test.ts` shows
 * how to change settings and open files. To answer a question, mock `window.showWarningMessage`.
 */
export class World {
  readonly emulator: Emulator;
  readonly jobs = new RecentJobs();
  readonly #runtime = new ServiceRuntime({ http: { waitMs: () => 1 } });
  reported: Reported[] = [];
  isRetryWanted: boolean | Promise<boolean> = false;
  /**
   * The connection lookup waits for this promise. If the promise resolves to false, no connection
   * is found.
   */
  beforeCredentials: Promise<boolean> = Promise.resolve(true);

  private constructor(emulator: Emulator) {
    this.emulator = emulator;
  }

  static async start(): Promise<World> {
    return new World(await startEmulator());
  }

  get options(): GenerateDeps {
    const [service] = services;
    if (!service) throw new Error('No service');
    const { url } = this.emulator;
    const credentials: Credentials = {
      service,
      apiKey: defaultApiKey,
      projectId: defaultProjectId,
      authUrl: url,
      serviceUrl: url,
      approved: { auth: url, service: url },
    };
    const { modelId, operation, parameters, limits } = readSettings();
    const settings = { modelId, operation, parameters, limits };
    const connection = connectionOf({ credentials, ...settings }, this.#runtime);
    return {
      jobs: this.jobs,
      connections: {
        for: async () => ((await this.beforeCredentials) ? connection : undefined),
        active: connection,
        signOutSignal: new AbortController().signal,
      },
      startWatch: () => ({ onRetry: () => () => 0, onText() {}, onDone() {}, onFailed() {} }),
      onUsage: () => {},
      report: async (error, _connection, { prefix }) => {
        const { kind } = error as ServiceError;
        if (!isKind(error, 'cancelled')) this.reported.push({ kind, prefix });
        return this.isRetryWanted;
      },
    };
  }

  async end(): Promise<void> {
    this.jobs.dispose();
    this.#runtime.dispose();
    await this.emulator.close();
    await close();
  }
}

/** Waits until `work` ends, and meanwhile dismisses the messages that `work` waits for. */
export async function closingMessages(work: Promise<unknown>): Promise<void> {
  await closing(['notifications.clearAll'], work);
}
