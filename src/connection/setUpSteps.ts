import type { QuickPickItem } from 'vscode';
import { writeSettings } from '../config/configuration.ts';
import { messageFor } from '../messages/messages.ts';
import { capitalized, resourceName, settingLabel } from '../messages/settingLabels.ts';
import { type Credentials, cleanValue, parseServiceUrl } from '../service/credentials.ts';
import { isKind, ServiceError } from '../service/errors.ts';
import { neededSettings, type Service } from '../service/services.ts';
import { askPick, askText, back, type Question, type StepAnswer } from '../ui/steps.ts';
import {
  checkUrl,
  keyLeakProblem,
  problemOfAccount,
  problemOfKey,
  problemOfProject,
  sentValues,
  validationOf,
} from './answerChecks.ts';
import {
  compareWithApproved,
  credentialsFor,
  type Destination,
  parseDestination,
} from './binding.ts';
import { contextOfTest } from './connectionMessages.ts';
import type { KeyRecord } from './keyStore.ts';
import { askDestination, askReplacement } from './questions.ts';
import {
  keptKey,
  keyOf,
  prefilledFor,
  readSettingsInUse,
  type SetUp,
  type StepName,
} from './setUpAnswers.ts';
import { hostsText, SET_UP } from './setUpMessages.ts';

/** The steps of the setup: prompts, checks, and storage. */

export interface StepProblem {
  readonly step: StepName;
  readonly text: string;
}

/**
 * Prompts for one value and stores the answer in `setUp`. If there is a problem, the setup
 * continues with the step that can fix it.
 */
type AskStep = (
  setUp: SetUp,
  position: Question,
) => Promise<StepAnswer<'answered' | 'saved' | StepProblem>>;

export const QUESTIONS: Readonly<Record<StepName, AskStep>> = {
  service: async (setUp, position) => {
    const { service: chosen } = setUp.settings;
    const picked = await askPick<QuickPickItem & { readonly service: Service }>({
      ...position,
      placeholder: SET_UP.whichService,
      items: await serviceItems(setUp),
    });
    if (picked === undefined || picked === back) return picked;
    // Replace all answers, because those for one service must never be sent to another.
    if (picked.service.word !== chosen.word) {
      Object.assign(setUp, await prefilledFor(picked.service, setUp));
    }
    return 'answered';
  },

  account: async (setUp, position) => {
    const label = capitalized(settingLabel('account', setUp.settings));
    const answer = await askText({
      ...position,
      prompt: SET_UP.accountPrompt(label, setUp.settings.service),
      placeholder: label,
      value: setUp.account,
      check: (text) => validationOf(text, problemOfAccount(label, text)),
    });
    if (typeof answer !== 'string') return answer;
    setUp.account = cleanValue(answer).value;
    return 'answered';
  },

  apiKey: async (setUp, position) => {
    const kept = keptKey(setUp);
    const answer = await askText({
      ...position,
      prompt: SET_UP.keyPrompt(setUp.settings.service),
      placeholder: kept ? SET_UP.keepKey[kept] : SET_UP.pasteKey(setUp.settings.service),
      password: true,
      check: (text) =>
        text === '' && kept
          ? undefined
          : validationOf(text, problemOfKey(text, setUp.settings.service)),
    });
    if (typeof answer !== 'string') return answer;
    if (answer !== '') setUp.apiKey = cleanValue(answer).value;
    return 'answered';
  },

  projectId: async (setUp, position) => {
    const isProject = resourceName(setUp) === 'project';
    const answer = await askText({
      ...position,
      prompt: isProject ? SET_UP.projectPrompt : SET_UP.resourcePrompt(resourceName(setUp)),
      placeholder: capitalized(settingLabel('projectId', setUp)),
      value: setUp.projectId,
      check: (text) => {
        const values = { [settingLabel('projectId', setUp)]: text };
        return validationOf(text, problemOfProject(text) ?? keyLeakProblem(values, keyOf(setUp)));
      },
    });
    if (typeof answer !== 'string') return answer;
    setUp.projectId = cleanValue(answer).value;
    return 'answered';
  },

  url: async (setUp, position) => {
    const { authUrl } = setUp.settings;
    const picked = await askPick<AddressItem>({
      ...position,
      placeholder: SET_UP.addressHint(setUp.settings.service),
      items: addressItems(setUp),
      typed: (text) => typedAddress(text, setUp.settings.service),
      expected: SET_UP.expectedAddress,
      accept: async ({ url }) =>
        checkUrl(url, authUrl) ?? keyLeakProblem({ [settingLabel('url')]: url }, keyOf(setUp)),
    });
    if (picked === undefined || picked === back) return picked;
    const target = parseDestination(authUrl, picked.url);
    setUp.url = 'setting' in target ? picked.url : target.serviceUrl;
    return 'answered';
  },

  save: async (setUp, position) => {
    const { settings, stored, account, projectId, resource } = setUp;
    const target = parseDestination(settings.authUrl, setUp.url);
    if ('setting' in target) return { step: 'url', text: SET_UP.noAddress };
    const key = keyOf(setUp);
    const values = { account, apiKey: key.apiKey, projectId, resource };
    const credentials = credentialsFor(settings.service, values, target);
    let found: StepProblem | undefined;
    const picked = await askPick<QuickPickItem & { readonly test: boolean }>({
      ...position,
      placeholder: SET_UP.hostsHint,
      // Unlike the placeholder, this text wraps, so the end of a long host name stays visible.
      text: hostsText(target, settings.service, ' · ') + (setUp.found ? SET_UP.ofAllFolders : ''),
      items: [
        {
          label: SET_UP.test,
          detail: SET_UP.testDetail({ service: settings.service, resource }),
          test: true,
        },
        { label: SET_UP.noTest, test: false },
      ],
      accept: async ({ test }, signal) => {
        const pasted = keyLeakProblem(sentValues(setUp, target), key);
        if (pasted) return pasted;
        if (!(await mayUseStoredKey(setUp, target))) return SET_UP.boundKey;
        // Don't test a stored key that changed during the setup. `save` reports the change.
        const isStale =
          !setUp.apiKey && !isSameRecord(await setUp.keys.read(settings.service.word), stored);
        found = test && !isStale ? await testCredentials(setUp, credentials, signal) : undefined;
        return found?.step === 'save' ? found.text : undefined;
      },
    });
    if (picked === undefined || picked === back) return picked;
    return found ?? save(setUp, target);
  },
};

/**
 * Saves the settings and the key. Prompts before it replaces a stored key.
 * @returns a problem if the key wasn't saved; its text is empty if the user needs no message
 */
async function save(setUp: SetUp, target: Destination): Promise<'saved' | StepProblem> {
  const { keys, settings, stored: before, ...answers } = setUp;
  const { service } = settings;
  const stored = await keys.read(service.word);
  setUp.stored = stored;
  if (!answers.apiKey && !isSameRecord(stored, before)) {
    // Another window signed out or stored a key. Saving would overwrite that change.
    return { step: 'apiKey', text: SET_UP.changedKey };
  }
  const apiKey = answers.apiKey || stored?.apiKey;
  const again: StepProblem = { step: 'save', text: '' };
  if (!apiKey) return again;
  if (stored && stored.apiKey !== apiKey && !(await askReplacement(service))) return again;
  await saveSettings(setUp, target.serviceUrl);
  const record = recordFor(service, { ...answers, apiKey }, target);
  return (await keys.write(record, service.word)) ? 'saved' : again;
}

/**
 * Saves the settings. Call this before storing the key: if VS Code refuses the settings, no key is
 * bound to addresses that the settings don't have.
 */
async function saveSettings(
  { keys, settings: { service }, resource = 'project', projectId }: SetUp,
  url: string,
): Promise<void> {
  const before = await readSettingsInUse(keys);
  const isOther = before.serviceProblem !== undefined || service.word !== before.service.word;
  const isNamed = neededSettings(service).includes('projectId');
  // A deployment ID takes precedence over a space ID, and both over a project ID. Delete the old
  // ones, so that none of them overrides the new ID.
  const unset = { projectId: '', spaceId: '', deploymentId: '' };
  await writeSettings({
    // The model in the settings belongs to the old service, so reset it.
    ...(isOther && { service: service.word, modelId: '' }),
    ...(isNamed && before.resource !== undefined && before.resource !== resource && unset),
    ...(isNamed && { [`${resource}Id` as const]: projectId }),
    url,
  });
}

/** Returns all services, with the chosen one first and the current one marked. */
async function serviceItems({ keys, settings: { service: chosen, services } }: SetUp) {
  const { service: current, serviceProblem } = await readSettingsInUse(keys);
  const others = services.filter(({ word }) => word !== chosen.word);
  return [chosen, ...others].map((service) => {
    const isCurrent = !serviceProblem && service.word === current.word;
    const description = isCurrent ? `${service.word} ${SET_UP.current}` : service.word;
    return { label: service.name, description, service };
  });
}

interface AddressItem extends QuickPickItem {
  readonly url: string;
}

/** Returns the regions of the service, with the current address first. */
function addressItems({ settings, url: current }: SetUp): AddressItem[] {
  const regions = settings.service.regions.map(({ place, url }) => ({
    label: place,
    description: url,
    url,
  }));
  const others = regions.filter(({ url }) => url !== current);
  if (!current) return others;
  const region = regions.find(({ url }) => url === current);
  const now = { label: region?.label ?? current, url: current };
  return [
    { ...now, description: region ? `${current} ${SET_UP.current}` : SET_UP.current },
    ...others,
  ];
}

/**
 * Creates an item from typed text; undefined if the text only filters the regions. If the address
 * is shortened, for example because the user pasted an endpoint, the item shows the result.
 */
function typedAddress(text: string, { regions }: Service): AddressItem | undefined {
  // Text without a dot or slash filters the regions. Without regions, any text must be an address.
  if (!/[./]/.test(text) && (regions.length > 0 || text === '')) return undefined;
  const url = text.includes('/') ? text : `https://${text.trim()}`;
  const item = { label: url === text ? text : SET_UP.useAddress(url), url, alwaysShow: true };
  const parsed = parseServiceUrl(url);
  if (!parsed.ok || parsed.url === url) return item;
  return { ...item, detail: SET_UP.typedAddress(parsed.cut, parsed.url) };
}

/** True if the key may be sent to these hosts. Prompts if a stored key was approved for others. */
async function mayUseStoredKey(
  { apiKey, stored, settings }: SetUp,
  wanted: Destination,
): Promise<boolean> {
  if (apiKey || !stored) return true;
  const binding = compareWithApproved(stored, settings.service, wanted);
  if (typeof binding === 'string') return binding === 'same';
  return (await askDestination(binding, settings.service)) === 'wanted';
}

/**
 * Tests the credentials.
 * @returns the problem and the step where the user can fix it; undefined if the test passed
 */
async function testCredentials(
  setUp: SetUp,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<StepProblem | undefined> {
  const { test, steps } = setUp;
  try {
    await test(credentials, setUp.settings, signal);
    return undefined;
  } catch (error) {
    const context = contextOfTest(credentials);
    const text = messageFor(error, context)?.text ?? SET_UP.cancelled;
    const step = stepOf(error, context.authHost);
    // Don't offer to keep a key that was refused.
    if (step === 'apiKey' && setUp.apiKey === '') setUp.canKeepStored = false;
    if (step === 'apiKey') setUp.apiKey = '';
    return steps.includes(step) ? { step, text } : { step: 'save', text };
  }
}

/**
 * Returns the step where the user can fix an error.
 * @param authHost undefined if the identity service and the service have the same host
 */
function stepOf(error: unknown, authHost: string | undefined): StepName {
  if (isKind(error, 'key-refused')) return 'apiKey';
  if (isKind(error, 'project-unknown', 'project-missing', 'project-without-runtime', 'forbidden')) {
    return 'projectId';
  }
  const onTheWay = isKind(error, 'unreachable', 'certificate', 'tls', 'unexpected-answer');
  if (onTheWay && error instanceof ServiceError && error.details.host !== authHost) return 'url';
  return 'save';
}

export function recordFor(
  { definition }: Service,
  { account, apiKey }: Pick<KeyRecord, 'account' | 'apiKey'>,
  { authUrl, serviceUrl }: Destination,
): KeyRecord {
  return { account: account || undefined, apiKey, authUrl, serviceUrl, definition };
}

/**
 * True if the records are equal. False if another window signed out or stored a key in the
 * meantime.
 */
export function isSameRecord(one: KeyRecord | undefined, other: KeyRecord | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
