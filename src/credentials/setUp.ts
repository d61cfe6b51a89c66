import { window } from 'vscode';
import type { Credentials, SettingName } from '../service/credentials.ts';
import { type Settings, writeSettings } from '../settings.ts';
import { back } from '../ui/steps.ts';
import { problemOfNewKey } from './answerChecks.ts';
import type { KeyRecord, KeyStore } from './keyStore.ts';
import { destination } from './resolve.ts';
import {
  type Draft,
  isSameRecord,
  QUESTIONS,
  type StepName,
  type StepProblem,
} from './setUpSteps.ts';

/**
 * The guided set-up: key, project, address, test. Nothing is stored until it worked or the user
 * insists, and what is wrong is said in the step that it concerns.
 */

export interface SetUpOptions {
  readonly keys: KeyStore;
  readonly settings: Settings;
  /** Proves credentials with a token request and a tokenization; generates nothing. */
  readonly test: (credentials: Credentials, signal: AbortSignal) => Promise<void>;
  /** The settings to ask for; the others stay as they are. */
  readonly ask: readonly SettingName[];
  /** Answers found elsewhere: shown in the boxes, the key kept by an empty answer. */
  readonly found?: { readonly [Name in SettingName]?: string | undefined } | undefined;
}

/** @returns true if credentials were saved */
export async function setUp(options: SetUpOptions): Promise<boolean> {
  const { settings, keys, ask, found } = options;
  let stored = await keys.read();
  const refusal = found?.apiKey ? problemOfNewKey(found.apiKey) : undefined;
  const draft: Draft = {
    apiKey: refusal === undefined ? (found?.apiKey ?? '') : '',
    projectId: found?.projectId ?? settings.projectId,
    url: found?.url ?? settings.url,
  };
  const steps: readonly StepName[] = [...ask, 'save'];
  let problem: StepProblem | undefined = refusal ? { step: 'apiKey', text: refusal } : undefined;
  let index = 0;
  for (;;) {
    const name = steps[index] ?? 'save';
    const position = {
      title: 'Set Up Hosted Model',
      step: index + 1,
      totalSteps: steps.length,
      problem: problem?.step === name ? problem.text : undefined,
    };
    const answer = await QUESTIONS[name]({ position, draft, stored, options, steps });
    if (answer === undefined) return false;
    problem = typeof answer === 'object' ? answer : undefined;
    if (problem) index = Math.max(0, steps.indexOf(problem.step));
    else if (answer === back) index -= 1;
    else if (name !== 'save') index += 1;
    else {
      const now = await keys.read();
      if (!draft.apiKey && !isSameRecord(now, stored)) {
        // Another window signed out or stored a key: what it did is not undone here.
        stored = now;
        const step = steps.includes('apiKey') ? 'apiKey' : 'save';
        problem = { step, text: 'The stored key was changed meanwhile.' };
        index = steps.indexOf(step);
      } else if (await save(options, draft, now)) return true;
    }
  }
}

/** @returns false if the user keeps the stored key after all, or secret storage takes none */
async function save(
  { keys, settings }: SetUpOptions,
  draft: Draft,
  stored: KeyRecord | undefined,
): Promise<boolean> {
  const apiKey = draft.apiKey || stored?.apiKey;
  const target = destination(settings.authUrl, draft.url);
  if (!apiKey || 'setting' in target) return false;
  if (stored && stored.apiKey !== apiKey && !(await mayReplaceKey())) return false;
  // The settings first: should VS Code refuse them, no key is bound to hosts that do not hold.
  await writeSettings({ projectId: draft.projectId, url: target.serviceUrl });
  return keys.write({ apiKey, authUrl: target.authUrl, serviceUrl: target.serviceUrl });
}

async function mayReplaceKey(): Promise<boolean> {
  const replace = 'Replace Key';
  const answer = await window.showWarningMessage(
    'Replace the stored API key?',
    { modal: true, detail: 'Text from all folders then goes to the account of the new key.' },
    'Keep Stored Key',
    replace,
  );
  return answer === replace;
}
