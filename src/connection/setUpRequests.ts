import { messageFor } from '../messages/messages.ts';
import type { ServiceRuntime } from '../service/serviceRuntime.ts';
import { cancellable } from '../ui/progress.ts';
import { contextOfTest } from './connectionMessages.ts';
import { connectionTo } from './createConnection.ts';
import type { KeyStore } from './keyStore.ts';
import { UNKNOWN_MODEL } from './newService.ts';
import type { SetUpOptions } from './setUpAnswers.ts';
import { NEW_SERVICE, SET_UP } from './setUpMessages.ts';

/**
 * Returns the options of a setup, including the requests that it can send before anything is saved.
 */
export function setUpOptions({
  keys,
  runtime,
}: {
  readonly keys: KeyStore;
  readonly runtime: ServiceRuntime;
}): SetUpOptions {
  return {
    keys,
    test: (credentials, settings, signal) => {
      const connection = connectionTo(credentials, settings, runtime);
      // The user picks the model of a new service only after the test.
      const isPicked = credentials.service.defaultModelId !== UNKNOWN_MODEL;
      return (isPicked ? connection : connection.with({ modelId: '' })).test(signal);
    },
    listModels: (credentials, settings) => {
      const connection = connectionTo(credentials, settings, runtime).with({ modelId: '' });
      return cancellable(NEW_SERVICE.listing, (signal) => connection.models(signal)).catch(
        () => undefined,
      );
    },
    testByGenerating: async (credentials, settings) => {
      const connection = connectionTo(credentials, settings, runtime);
      const brief = connection.with({ parameters: { max_new_tokens: 1 } });
      try {
        await cancellable(NEW_SERVICE.generating, (signal) =>
          brief.generateText('hello', { signal }),
        );
        return undefined;
      } catch (error) {
        return messageFor(error, contextOfTest(credentials))?.text ?? SET_UP.cancelled;
      }
    },
    isRefused: (apiKey) => runtime.isRefused(apiKey),
  };
}
