import { serviceFor } from '../../../src/service/builtInServices.ts';
import type { Service } from '../../../src/service/service.ts';
import type { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { provideEditor, shippedRuntime } from '../../builtEditor.ts';
import { apiKey, type Caller, type MakeCaller, modelId, projectId, prompt } from './caller.ts';

/** Uses the service client from the built extension. */
export const makeCaller: MakeCaller = async (url) => {
  provideEditor();
  return callerOf(await shippedRuntime(), url);
};

/** Makes calls the way commands do: with a shared runtime and a new client for each call. */
export function callerOf(runtime: ServiceRuntime, url: string): Caller {
  const service = serviceFor('ibm') as Service;
  const approved = { auth: url, service: url };
  const credentials = { service, apiKey, projectId, authUrl: url, serviceUrl: url, approved };
  // The limit is higher than the maximum in the settings (8), because the other callers have no
  // limit.
  const limits = { limit: 100, queue: 1_000, minIntervalMs: 0 };
  const settings = { modelId, operation: 'chat', limits } as const;
  // High enough that no response is truncated. The other callers don't set a limit.
  const parameters = { max_new_tokens: 16_000 };
  const client = () => runtime.client(credentials, settings);
  return {
    call: async () => (await client().generateText(prompt, parameters)).text,
    stream: (onText) => client().generateText(prompt, parameters, { onText }),
  };
}
