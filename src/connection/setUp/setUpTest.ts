import { messageFor } from '../../messages/messages.ts';
import { isKind, ServiceError } from '../../service/errors.ts';
import { type Destination, parseDestination } from '../approvedDestination.ts';
import { contextOfTest } from '../messageContext.ts';
import { SET_UP } from './setUpMessages.ts';
import { describe, withVersion } from './setUpModel.ts';
import { testConnection } from './setUpRequests.ts';
import { answeredCredentials, type SetUp, type StepName, type StepProblem } from './setUpState.ts';

/** Tests the answers, and finds the step where the user can fix a problem. */

/**
 * Tests the credentials. If an added or changed service has no model list and its address has no
 * path, retries with `/v1` added. Keeps the longer address if it has a model list.
 * @returns the problem and the step where the user can fix it; undefined if the test passed, or if
 * the service can be tested only by generating text
 */
export async function testCredentials(
  setUp: SetUp,
  target: Destination,
  signal: AbortSignal,
): Promise<StepProblem | undefined> {
  const { steps, added, draft } = setUp;
  const credentials = answeredCredentials(setUp, target);
  try {
    setUp.hasModelList = true;
    await testConnection(setUp, credentials, signal);
    return undefined;
  } catch (error) {
    if (added && isKind(error, 'no-model-list')) {
      setUp.hasModelList = false;
      const longer = withVersion(added);
      if (!longer) return undefined;
      describe(setUp, longer);
      const retried = parseDestination(setUp.settings.authUrl, setUp.url, longer.service);
      const problem =
        'setting' in retried ? undefined : await testCredentials(setUp, retried, signal);
      if (problem || !setUp.hasModelList) describe(setUp, added);
      // If the user goes back, show the longer address so that they can decide whether to keep it.
      else if (draft.address !== '') draft.address = longer.service.url;
      return problem;
    }
    const context = contextOfTest(credentials);
    const text = messageFor(error, context)?.text ?? SET_UP.cancelled;
    const step = stepOf(error, context.authHost);
    // Don't offer to keep a key that was rejected.
    if (step === 'apiKey' && setUp.apiKey === '') setUp.canKeepStored = false;
    if (step === 'apiKey') setUp.apiKey = '';
    return steps.includes(step) ? { step, text } : { step: 'save', text };
  }
}

/**
 * Returns the step where the user can fix an error, or the last step if there is no such step.
 * @param authHost undefined if the identity service and the service have the same host
 */
function stepOf(error: unknown, authHost: string | undefined): StepName {
  if (!(error instanceof ServiceError)) return 'save';
  const { setting = 'save' } = error.handling;
  // Changing the service URL doesn't help if the identity service failed.
  return setting === 'url' && error.details.host === authHost ? 'save' : setting;
}
