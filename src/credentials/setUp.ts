import { window } from 'vscode';
import { SETTING_NAMES, type SettingName } from '../service/credentials.ts';
import { readSettings, writeSettings } from '../settings.ts';
import { back } from '../ui/steps.ts';
import { problemOfNewKey } from './answerChecks.ts';
import type { KeyRecord, KeyStore } from './keyStore.ts';
import { askDestination, askReplacement, reportAddress } from './questions.ts';
import {
  type Draft,
  isSameRecord,
  QUESTIONS,
  type SetUpOptions,
  type StepName,
  type StepProblem,
} from './setUpSteps.ts';
import {
  chooseEditor,
  destination,
  type SourceSelection,
  type SourceSnapshot,
} from './sourceSelection.ts';

/**
 * The guided set-up for all settings, or for these and whatever else is missing or unusable: key,
 * project, address, test. Nothing is stored until it worked or the user insists, and what is wrong
 * is said in the step that it concerns.
 * @param found values that another source holds already
 * @returns true if credentials were saved
 */
export async function runSetUp(
  { keys, test }: Pick<SetUpOptions, 'keys' | 'test'>,
  names: readonly SettingName[] = SETTING_NAMES,
  found?: SetUpOptions['found'],
): Promise<boolean> {
  const settings = readSettings();
  // The project that is asked for is the user's own, whatever a folder brings.
  const choice = chooseEditor({ settings, record: await keys.read(), projectAnswer: 'refused' });
  const needed = new Set(names);
  if (choice.kind === 'missing') for (const name of choice.names) needed.add(name);
  const target = destination(settings.authUrl, settings.url);
  if ('setting' in target) {
    // The set-up asks for the service URL; the identity address is in the settings alone.
    if (target.setting === 'authUrl') {
      reportAddress(target);
      return false;
    }
    needed.add('url');
  }
  const ask = SETTING_NAMES.filter((name) => needed.has(name));
  if (!(await setUp({ keys, settings, test, ask, found }))) return false;
  void window.showInformationMessage('Hosted Model is set up. The key is in secret storage.');
  return true;
}

/** @returns true if credentials were saved */
async function setUp(options: SetUpOptions): Promise<boolean> {
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
  if (stored && stored.apiKey !== apiKey && !(await askReplacement())) return false;
  // The settings first: should VS Code refuse them, no key is bound to hosts that do not hold.
  await writeSettings({ projectId: draft.projectId, url: target.serviceUrl });
  return keys.write({ apiKey, authUrl: target.authUrl, serviceUrl: target.serviceUrl });
}

/**
 * Settles which hosts hold: those of the record that the question is about, or those in the
 * settings. Another record that came meanwhile is not bound.
 * @returns true if the question is settled
 */
export async function settleDestination(
  keys: KeyStore,
  { settings: { vendor }, record }: SourceSnapshot,
  { approved, wanted }: SourceSelection & { readonly kind: 'unapproved' },
): Promise<boolean> {
  if (!record) return false;
  const answer = await askDestination(approved, wanted);
  if (answer === 'saved') {
    const authUrl = approved.authUrl === vendor.authUrl ? '' : approved.authUrl;
    await writeSettings({ url: approved.serviceUrl, authUrl });
  } else if (answer === 'wanted') {
    if (!isSameRecord(await keys.read(), record)) return true;
    return keys.write({ ...record, authUrl: wanted.authUrl, serviceUrl: wanted.serviceUrl });
  }
  return answer !== undefined;
}
