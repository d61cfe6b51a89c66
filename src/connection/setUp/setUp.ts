import { commands, window } from 'vscode';
import { isAiDisabled } from '../../config/configuration.ts';
import { needsSetting } from '../../messages/settingLabels.ts';
import type { Service, SettingName } from '../../service/service.ts';
import { back } from '../../ui/steps.ts';
import { parseDestination } from '../approvedDestination.ts';
import { reportSetting } from '../connectionDialogs.ts';
import { addressText } from '../connectionMessages.ts';
import type { SetUpReason } from '../resolveObstacle.ts';
import { readSettingsInUse } from '../serviceSettingsWriter.ts';
import { problemOfKey } from './answerChecks.ts';
import { emptyDraft } from './serviceDraft.ts';
import { SET_UP } from './setUpMessages.ts';
import {
  prefilledFor,
  type SetUp,
  type SetUpOptions,
  type StepName,
  type StepProblem,
} from './setUpState.ts';
import { QUESTIONS } from './setUpSteps.ts';

/**
 * Prompts for the service, credentials, project, and address. Tests the answers unless the user
 * skips the test, and then saves them. If the test fails, no credentials are saved. The current
 * values are prefilled, except for secrets. The user can also add, change, or remove a service.
 * Problems are shown in the step where the user can fix them.
 * @returns true if credentials were saved
 */
export async function runSetUp(
  { keys, runtime }: SetUpOptions,
  { imported, missing = [], intro, isRepair = false }: SetUpReason = {},
): Promise<boolean> {
  const options = { keys, runtime, imported };
  const service = imported?.service ?? (await readSettingsInUse(keys)).service;
  const setUp: SetUp = {
    ...options,
    draft: emptyDraft(),
    ...(await prefilledFor(service, options)),
  };
  const rejection = imported?.apiKey && problemOfKey(imported.apiKey, service);
  const isSaved = rejection
    ? await askAll(setUp, 'apiKey', { step: 'apiKey', text: rejection })
    : await askAll(setUp, firstStep(setUp, missing, isRepair), undefined, intro);
  // If values were missing or imported, a command may be waiting for setup. That command continues
  // automatically, so don't offer to generate.
  if (isSaved && !isRepair)
    void offerUses(setUp.settings.service, missing.length === 0 && !imported);
  return isSaved;
}

/** Returns the first step where the user has to enter or check something. */
function firstStep(
  { imported, steps }: SetUp,
  missing: readonly SettingName[],
  isRepair: boolean,
): StepName {
  // An import contains all values except the headers' secret values. The user can go back to review
  // the imported values.
  if (imported) return steps.includes('headerSecrets') ? 'headerSecrets' : 'save';
  // If the key is missing, the user may not have chosen a service yet. During a repair, the
  // service is known.
  if (missing.includes('apiKey') && !isRepair) return 'service';
  return missing.find((name) => steps.includes(name)) ?? 'service';
}

/** Reports success and suggests what to do next. */
async function offerUses(service: Service, mayGenerate: boolean): Promise<void> {
  const { generate, useInChat } = SET_UP;
  const isNext = mayGenerate && window.activeTextEditor !== undefined;
  const withKey = needsSetting('apiKey', { service }) ? SET_UP.doneWithKey : SET_UP.done;
  // Without an active editor, there's nothing to generate from, so mention the shortcut instead of
  // offering to generate.
  const done = mayGenerate && !isNext ? SET_UP.howToGenerate(process.platform) : withKey;
  const uses = [...(isNext ? [generate] : []), ...(isAiDisabled() ? [] : [useInChat])];
  const picked = await window.showInformationMessage(done, ...uses);
  if (picked === generate) await commands.executeCommand('hostedModel.generateFromSelection');
  if (picked === useInChat) await commands.executeCommand('hostedModel.useInChat');
}

/**
 * Runs the steps until the user saves or closes setup.
 * @param first the step to start with; if setup doesn't include it, setup starts with its first
 * step
 * @param intro sentences to show only in the step that's shown first
 * @returns true if credentials were saved
 */
async function askAll(
  setUp: SetUp,
  first: StepName,
  rejection?: StepProblem,
  intro?: string,
): Promise<boolean> {
  let problem = rejection;
  let shownIntro = intro;
  let index = Math.max(0, setUp.steps.indexOf(first));
  let isReturning = false;
  for (;;) {
    const name = setUp.steps[index] ?? 'save';
    if (name !== 'service' && isIdentityUnusable(setUp)) return false;
    const answer = await QUESTIONS[name](setUp, {
      title: SET_UP.title,
      step: index + 1 + (index > 0 ? addedSteps(setUp) : 0),
      totalSteps: setUp.steps.length + addedSteps(setUp),
      intro: shownIntro,
      problem: problem?.step === name ? problem.text : undefined,
      isReturning,
    });
    shownIntro = undefined;
    if (answer === undefined) return false;
    if (answer === 'saved') return true;
    problem = typeof answer === 'object' ? answer : undefined;
    if (problem) index = Math.max(0, setUp.steps.indexOf(problem.step));
    else index += answer === back ? -1 : 1;
    isReturning = answer === back;
  }
}

/** Returns the number of steps that the user took to describe an added or changed service. */
function addedSteps({ added }: SetUp): number {
  return added?.steps ?? 0;
}

/**
 * True if the identity address in the settings is invalid. In that case, also reports the problem,
 * because no step prompts for this address.
 */
function isIdentityUnusable({ settings }: SetUp): boolean {
  const target = parseDestination(settings.authUrl, settings.url, settings.service);
  const isUnusable = 'setting' in target && target.setting === 'authUrl';
  if (isUnusable) reportSetting(addressText(target), 'authUrl');
  return isUnusable;
}
