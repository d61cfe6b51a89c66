/** Goes through the guided setup as a user would. */
import type { Workbench } from './workbench.ts';

export interface Answers {
  readonly apiKey: string;
  readonly projectId: string;
  readonly url: string;
}

type OnStep = (step: number) => Promise<unknown>;

/**
 * Answers the prompts of setup, which must be open. Stops at the last step, before anything is sent
 * or stored.
 * @param onStep called with the number of each step before the step is confirmed
 */
export async function answerSetUp(
  workbench: Workbench,
  answers: Answers,
  onStep: OnStep = async () => {},
): Promise<void> {
  await workbench.quickInput.waitFor({ step: '1/5' });
  await onStep(1);
  await workbench.quickInput.accept();
  await answerFromKey(workbench, answers, onStep);
}

/** Answers the prompts of setup, which must be open at the API key step. Stops at the last step. */
export async function answerFromKey(
  { quickInput }: Workbench,
  { apiKey, projectId, url }: Answers,
  onStep: OnStep = async () => {},
): Promise<void> {
  await quickInput.waitFor({ step: '2/5', password: true });
  await onStep(2);
  await quickInput.type(apiKey);
  await quickInput.accept();
  await quickInput.waitFor({ step: '3/5' });
  await quickInput.type(projectId);
  await onStep(3);
  await quickInput.accept();
  await quickInput.waitFor({ step: '4/5' });
  await onStep(4);
  await quickInput.type(url);
  await quickInput.waitFor({ step: '4/5', item: url });
  await quickInput.accept();
  await quickInput.waitFor({ step: '5/5' });
  await onStep(5);
}

/** Enters a new key in an open setup, and accepts the prefilled values. Stops at the last step. */
export async function enterKey(workbench: Workbench, apiKey: string): Promise<void> {
  await workbench.quickInput.waitFor({ step: '1/5' });
  await workbench.quickInput.accept();
  await correctKey(workbench, apiKey);
}

/**
 * Like `enterKey`, but for a setup that starts at the API key step, as happens after a key is
 * rejected.
 */
export async function correctKey({ quickInput }: Workbench, apiKey: string): Promise<void> {
  await quickInput.waitFor({ step: '2/5', password: true });
  await quickInput.type(apiKey);
  for (const step of ['2/5', '3/5', '4/5']) {
    await quickInput.waitFor({ step });
    await quickInput.accept();
  }
  await quickInput.waitFor({ step: '5/5' });
}

/** Goes through the whole setup, including the test against the service. */
export async function setUp(
  workbench: Workbench,
  answers: Answers,
  onStep?: OnStep,
): Promise<void> {
  await workbench.runCommand('Hosted Model: Set Up...');
  await answerSetUp(workbench, answers, onStep);
  await workbench.quickInput.pick('$(beaker) Test and Save');
  await workbench.notifications.waitFor(/is set up/);
}
