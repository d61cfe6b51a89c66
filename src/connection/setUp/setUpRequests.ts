import { messageFor } from '../../messages/messages.ts';
import type { ModelList } from '../../service/api/modelTypes.ts';
import type { Credentials } from '../../service/credentials.ts';
import { cancellable } from '../../ui/progress.ts';
import { connectionTo } from '../createConnection.ts';
import { contextOfTest } from '../messageContext.ts';
import { UNKNOWN_MODEL } from './serviceDraft.ts';
import { NEW_SERVICE, SET_UP } from './setUpMessages.ts';
import type { SetUp } from './setUpState.ts';

/** The requests that setup can send before anything is saved. */

/**
 * Tests credentials without generating text.
 * @throws {ServiceError} if the test fails
 */
export function testConnection(
  { settings, runtime }: SetUp,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<void> {
  const connection = connectionTo(credentials, settings, runtime);
  // For a new service, the user picks the model after the test, so don't test the model.
  const isPicked = credentials.service.defaultModelId !== UNKNOWN_MODEL;
  return (isPicked ? connection : connection.with({ modelId: '' })).test(signal);
}

/**
 * Returns the models of a new service. Undefined if the models couldn't be loaded or the user
 * canceled.
 */
export function loadModels(
  { settings, runtime }: SetUp,
  credentials: Credentials,
): Promise<ModelList | undefined> {
  const connection = connectionTo(credentials, settings, runtime).with({ modelId: '' });
  return cancellable(NEW_SERVICE.listing, (signal) => connection.models(signal)).catch(
    () => undefined,
  );
}

/**
 * Generates one token to test a service that has no model list.
 * @returns the error message; undefined if the test succeeds
 */
export async function testByGenerating(
  { settings, runtime }: SetUp,
  credentials: Credentials,
): Promise<string | undefined> {
  const connection = connectionTo(credentials, settings, runtime);
  const brief = connection.with({ parameters: { max_new_tokens: 1 } });
  try {
    await cancellable(NEW_SERVICE.generating, (signal) => brief.generateText('hello', { signal }));
    return undefined;
  } catch (error) {
    return messageFor(error, contextOfTest(credentials))?.text ?? SET_UP.cancelled;
  }
}
