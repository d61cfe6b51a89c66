/** The guided set-up as a person types it. */
import type { Workbench } from './workbench.ts';

export interface Answers {
  readonly apiKey: string;
  readonly projectId: string;
  readonly url: string;
}

/**
 * Answers the steps of an open set-up. Stops at the last step, before anything is sent or stored.
 * @param onStep called with the number of each step before it is answered
 */
export async function answerSetUp(
  { quickInput }: Workbench,
  { apiKey, projectId, url }: Answers,
  onStep: (step: number) => Promise<unknown> = async () => {},
): Promise<void> {
  await quickInput.waitFor({ step: '1/4', password: true });
  await onStep(1);
  await quickInput.type(apiKey);
  await quickInput.accept();
  await quickInput.waitFor({ step: '2/4' });
  await quickInput.type(projectId);
  await onStep(2);
  await quickInput.accept();
  await quickInput.waitFor({ step: '3/4' });
  await onStep(3);
  await quickInput.type(url);
  await quickInput.waitFor({ step: '3/4', item: url });
  await quickInput.accept();
  await quickInput.waitFor({ step: '4/4' });
  await onStep(4);
}

/** Walks through the whole set-up, with the test against the service. */
export async function setUp(
  workbench: Workbench,
  answers: Answers,
  onStep?: (step: number) => Promise<unknown>,
): Promise<void> {
  await workbench.runCommand('Hosted Model: Set Up...');
  await answerSetUp(workbench, answers, onStep);
  await workbench.quickInput.pick('$(beaker) Test and Save');
  await workbench.notifications.waitFor(/is set up/);
}
