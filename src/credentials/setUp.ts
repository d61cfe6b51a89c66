import { commands, window } from 'vscode';
import { SETTING_NAMES, type SettingName } from '../service/credentials.ts';
import { isAiDisabled, readSettings, writeSettings } from '../settings.ts';
import { back } from '../ui/steps.ts';
import { problemOfNewKey } from './answerChecks.ts';
import { SET_UP } from './credentialMessages.ts';
import type { KeyStore } from './keyStore.ts';
import { askDestination, askReplacement, reportAddress } from './questions.ts';
import { isSameRecord, QUESTIONS, type SetUp, type StepProblem } from './setUpSteps.ts';
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
  { keys, test }: Pick<SetUp, 'keys' | 'test'>,
  names: readonly SettingName[] = SETTING_NAMES,
  found?: SetUp['found'],
): Promise<boolean> {
  const settings = readSettings();
  const stored = await keys.read();
  // The project that is asked for is the user's own, whatever a folder brings.
  const choice = chooseEditor({ settings, record: stored, projectAnswer: 'refused' });
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
  const steps = [...SETTING_NAMES.filter((name) => needed.has(name)), 'save'] as const;
  const { apiKey = '', projectId = settings.projectId, url = settings.url } = found ?? {};
  const refusal = apiKey ? problemOfNewKey(apiKey) : undefined;
  const answers = { apiKey: refusal ? '' : apiKey, projectId, url };
  const problem: StepProblem | undefined = refusal ? { step: 'apiKey', text: refusal } : undefined;
  if (!(await askAll({ keys, test, settings, found, steps, stored, ...answers }, problem))) {
    return false;
  }
  void offerChat();
  return true;
}

/** Says that it is done, and what else the key is good for. */
async function offerChat(): Promise<void> {
  const others = isAiDisabled() ? [] : [SET_UP.useInChat];
  const picked = await window.showInformationMessage(SET_UP.done, ...others);
  if (picked) await commands.executeCommand('hostedModel.useInChat');
}

/** @returns true if credentials were saved */
async function askAll(setUp: SetUp, refusal: StepProblem | undefined): Promise<boolean> {
  const { steps } = setUp;
  let problem = refusal;
  let index = 0;
  for (;;) {
    const name = steps[index] ?? 'save';
    const answer = await QUESTIONS[name](setUp, {
      title: SET_UP.title,
      step: index + 1,
      totalSteps: steps.length,
      problem: problem?.step === name ? problem.text : undefined,
    });
    if (answer === undefined) return false;
    problem = typeof answer === 'object' ? answer : undefined;
    if (problem) index = Math.max(0, steps.indexOf(problem.step));
    else if (answer === back) index -= 1;
    else if (name !== 'save') index += 1;
    else {
      const before = setUp.stored;
      setUp.stored = await setUp.keys.read();
      if (!setUp.apiKey && !isSameRecord(setUp.stored, before)) {
        // Another window signed out or stored a key: what it did is not undone here.
        const step = steps.includes('apiKey') ? 'apiKey' : 'save';
        problem = { step, text: SET_UP.changedKey };
        index = steps.indexOf(step);
      } else if (await save(setUp)) return true;
    }
  }
}

/** @returns false if the user keeps the stored key after all, or secret storage takes none */
async function save({ keys, settings, stored, ...answers }: SetUp): Promise<boolean> {
  const apiKey = answers.apiKey || stored?.apiKey;
  const target = destination(settings.authUrl, answers.url);
  if (!apiKey || 'setting' in target) return false;
  if (stored && stored.apiKey !== apiKey && !(await askReplacement())) return false;
  // The settings first: should VS Code refuse them, no key is bound to hosts that do not hold.
  await writeSettings({ projectId: answers.projectId, url: target.serviceUrl });
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
