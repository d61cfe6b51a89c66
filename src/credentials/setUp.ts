import { commands, window } from 'vscode';
import { isAiDisabled, writeSettings } from '../configuration.ts';
import {
  hasMovableIdentity,
  neededSettings,
  SETTING_NAMES,
  type SettingName,
  type Vendor,
  vendors,
} from '../service/vendors.ts';
import { readUserSettings, type Settings, settingsFor, withStoredService } from '../settings.ts';
import { back } from '../ui/steps.ts';
import { problemOfKey } from './answerChecks.ts';
import { addressText, vendorText } from './credentialMessages.ts';
import type { KeyStore } from './keyStore.ts';
import { askDestination, askService, reportSetting } from './questions.ts';
import { SET_UP } from './setUpMessages.ts';
import { isSameRecord, QUESTIONS, recordFor, type SetUp, type StepProblem } from './setUpSteps.ts';
import {
  type ChangedBinding,
  destination,
  type SourceSnapshot,
  selectEditorSource,
} from './sourceSelection.ts';

/**
 * The guided set-up for all settings, or for these and whatever else is missing or unusable: key,
 * project, address, test. Nothing is stored until it worked or the user insists, and what is wrong
 * is said in the step that it concerns.
 * @param found values that another source holds already, and the service that they are for
 * @param asksService whether the user wants to say which service it is for
 * @returns true if credentials were saved
 */
export async function runSetUp(
  { keys, test }: Pick<SetUp, 'keys' | 'test'>,
  names: readonly SettingName[] = SETTING_NAMES,
  found?: SetUp['found'],
  asksService = false,
): Promise<boolean> {
  const settings = await settingsOf(keys, found?.vendor, asksService);
  if (!settings) return false;
  const { vendor } = settings;
  const stored = await keys.read(vendor.word);
  const choice = selectEditorSource({ settings, record: stored });
  const needed = new Set(names);
  if (choice.kind === 'missing') for (const name of choice.names) needed.add(name);
  // Either of the two may be the one that was refused.
  if (needed.has('apiKey')) needed.add('account');
  const target = destination(settings.authUrl, settings.url);
  if ('setting' in target) {
    // The set-up asks for the service URL; the identity address is in the settings alone.
    if (target.setting === 'authUrl') {
      reportSetting(addressText(target));
      return false;
    }
    needed.add('url');
  }
  const steps = [...neededSettings(vendor).filter((name) => needed.has(name)), 'save'] as const;
  const { account = '', apiKey = '', projectId, url = settings.url } = found ?? {};
  const refusal = apiKey ? problemOfKey(apiKey, vendor) : undefined;
  const resource = found ? found.resource : settings.resource;
  const answers = {
    ...{ account: account || (stored?.account ?? ''), apiKey: refusal ? '' : apiKey },
    ...{ projectId: projectId ?? settings.projectId, resource, url },
  };
  const problem: StepProblem | undefined = refusal ? { step: 'apiKey', text: refusal } : undefined;
  if (!(await askAll({ keys, test, settings, found, steps, stored, ...answers }, problem))) {
    return false;
  }
  // Whoever was asked for something that was missing is about to get an answer.
  void offerUses(names === SETTING_NAMES && !found);
  return true;
}

/**
 * The settings for the service that is set up. It is asked for where there is a choice that somebody
 * has made already, or wants to make: one service that is built in is what most people have.
 * @param vendor that is known
 * @returns undefined if the user gave up
 */
async function settingsOf(
  keys: KeyStore,
  vendor: Vendor | undefined,
  asksService: boolean,
): Promise<Settings | undefined> {
  const settings = withStoredService(readUserSettings(), await keys.services());
  // A secret is meant for the service that is named, and for no other one.
  if (settings.vendorProblem && !vendor && !asksService) {
    return void reportSetting(vendorText(settings.vendorProblem));
  }
  const hasChosen = settings.vendors.length > vendors.length || settings.vendor !== vendors[0];
  const isAsked = asksService || hasChosen;
  const meant = vendor ?? (isAsked ? await askService(settings) : settings.vendor);
  return meant && settingsFor(meant, settings);
}

/** Says that it is done, and what the key is good for now. */
async function offerUses(mayGenerate: boolean): Promise<void> {
  const { generate, useInChat } = SET_UP;
  const isNext = mayGenerate && window.activeTextEditor !== undefined;
  const uses = [...(isNext ? [generate] : []), ...(isAiDisabled() ? [] : [useInChat])];
  const picked = await window.showInformationMessage(SET_UP.done, ...uses);
  if (picked === generate) await commands.executeCommand('hostedModel.generateFromSelection');
  if (picked === useInChat) await commands.executeCommand('hostedModel.useInChat');
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
    if (answer === 'saved') return true;
    problem = typeof answer === 'object' ? answer : undefined;
    if (problem) index = Math.max(0, steps.indexOf(problem.step));
    else index += answer === back ? -1 : 1;
  }
}

/**
 * Settles which hosts hold: those of the record that the question is about, or those in the
 * settings. Another record that came meanwhile is not bound.
 * @returns true if the question is settled
 */
export async function settleDestination(
  keys: KeyStore,
  { settings: { vendor }, record }: SourceSnapshot,
  binding: ChangedBinding,
): Promise<boolean> {
  if (!record) return false;
  const { approved, wanted } = binding;
  const answer = await askDestination(binding, vendor);
  if (answer === 'saved') {
    const authUrl = approved.authUrl === vendor.authUrl ? '' : approved.authUrl;
    const change = hasMovableIdentity(vendor) && { authUrl };
    await writeSettings({ url: approved.serviceUrl, ...change });
  } else if (answer === 'wanted') {
    if (!isSameRecord(await keys.read(vendor.word), record)) return true;
    return keys.write(recordFor(vendor, record, wanted), vendor.word);
  }
  return answer !== undefined;
}
