import { isDeepStrictEqual } from 'node:util';
import type { QuickPickItem } from 'vscode';
import { capitalized, resourceName, settingLabel } from '../../messages/settingLabels.ts';
import { cleanValue } from '../../service/pastedValue.ts';
import { headerSecretsOf, mayBeUnencrypted, type Service } from '../../service/service.ts';
import { parseServiceUrl } from '../../service/serviceUrl.ts';
import { askPick, askText, back, type Question, typedItem } from '../../ui/steps.ts';
import { parseDestination } from '../approvedDestination.ts';
import { readSettingsInUse } from '../serviceSettingsWriter.ts';
import {
  checkUrl,
  keyLeakProblem,
  problemOfAccount,
  problemOfHeader,
  problemOfKey,
  problemOfProject,
  validationOf,
  warningOfProject,
} from './answerChecks.ts';
import { askToSave } from './finalStep.ts';
import { askHeaders } from './headerSteps.ts';
import { askAction, removeService, renameService } from './manageService.ts';
import { askNewService } from './newServiceSteps.ts';
import { draftOf } from './serviceDraft.ts';
import { existingService, type NewService, withFields } from './serviceEntry.ts';
import { NEW_SERVICE, SET_UP } from './setUpMessages.ts';
import { describe } from './setUpModel.ts';
import {
  type AskStep,
  keptKey,
  keyOf,
  prefilledFor,
  type SetUp,
  type StepName,
} from './setUpState.ts';

/** The steps of setup, most of which prompt for one value. */

export const QUESTIONS: Readonly<Record<StepName, AskStep>> = {
  // Show the intro only in the list of services, not in the later prompts of this step.
  service: async (setUp, { intro, isReturning, ...position }) => {
    const { service: chosen, services } = setUp.settings;
    const isNew = setUp.added && !services.some(({ word }) => word === chosen.word);
    if (isReturning && isNew) return addService(setUp, position, true);
    const picked = await askPick<QuickPickItem & { readonly service?: Service }>({
      ...position,
      intro,
      placeholder: SET_UP.whichService,
      items: [...(await serviceItems(setUp)), { label: NEW_SERVICE.add, alwaysShow: true }],
    });
    if (picked === undefined || picked === back) return picked;
    if (!picked.service) return addService(setUp, position);
    // Replace all answers, because the answers for one service must never be sent to another
    // service.
    if (picked.service.word !== chosen.word) {
      Object.assign(setUp, await prefilledFor(picked.service, setUp), { added: undefined });
    }
    const { service } = picked;
    const isManaged = service.definition !== undefined && setUp.stored && !setUp.added;
    return isManaged ? manage(setUp, service, position) : 'answered';
  },

  account: async (setUp, position) => {
    const label = settingLabel('account', setUp.settings);
    const answer = await askText({
      ...position,
      prompt: SET_UP.accountPrompt(capitalized(label), setUp.settings.service),
      placeholder: capitalized(label),
      value: setUp.account,
      check: (text) => validationOf(text, problemOfAccount(label, text)),
    });
    if (typeof answer !== 'string') return answer;
    setUp.account = cleanValue(answer).value;
    return 'answered';
  },

  apiKey: async (setUp, position) => {
    const kept = keptKey(setUp);
    const { keyPage } = setUp.settings.service;
    const answer = await askText({
      ...position,
      prompt: SET_UP.keyPrompt(setUp.settings.service),
      page: keyPage === '' ? undefined : { label: SET_UP.createKey, url: keyPage },
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

  headerSecrets: async (setUp, position) => {
    const { service } = setUp.settings;
    for (const label of headerSecretsOf(service)) {
      const kept = setUp.headerSecrets[label];
      const answer = await askText({
        ...position,
        prompt: SET_UP.headerPrompt(label, service),
        placeholder: kept ? SET_UP.keepHeader : capitalized(label),
        password: true,
        check: (text) =>
          text === '' && kept ? undefined : validationOf(text, problemOfHeader(text)),
      });
      if (typeof answer !== 'string') return answer;
      if (answer !== '') {
        setUp.headerSecrets = { ...setUp.headerSecrets, [label]: answer.trim() };
      }
    }
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
        const problem = problemOfProject(text) ?? keyLeakProblem(values, keyOf(setUp));
        return validationOf(text, problem) ?? (isProject ? warningOfProject(text) : undefined);
      },
    });
    if (typeof answer !== 'string') return answer;
    setUp.projectId = cleanValue(answer).value;
    return 'answered';
  },

  url: async (setUp, position) => {
    const { authUrl, service } = setUp.settings;
    const picked = await askPick<AddressItem>({
      ...position,
      placeholder: SET_UP.addressHint(service),
      items: addressItems(setUp),
      typed: (text) => typedAddress(text, service),
      expected: `${SET_UP.addressHint(service)}.`,
      accept: async ({ url }) =>
        checkUrl(url, setUp.settings) ??
        keyLeakProblem({ [settingLabel('url')]: url }, keyOf(setUp)),
    });
    if (picked === undefined || picked === back) return picked;
    const target = parseDestination(authUrl, picked.url, service);
    setUp.url = 'setting' in target ? picked.url : target.serviceUrl;
    return 'answered';
  },

  save: askToSave,
};

/** Lets the user change or remove a service that they added. */
async function manage(setUp: SetUp, service: Service, position: Question): ReturnType<AskStep> {
  const { keys } = setUp;
  const again = () => QUESTIONS.service(setUp, { ...position, problem: undefined });
  const action = await askAction(service, { ...position, step: 2 });
  switch (action) {
    case undefined:
      return undefined;
    case back:
      return again();
    case 'credentials':
      return 'answered';
    case 'rename':
      await renameService(keys, service, position);
      return undefined;
    case 'remove':
      await removeService(keys, service);
      return undefined;
  }
  const changed =
    action === 'headers'
      ? await askHeaders(existingService(service), { ...position, step: 2 })
      : await askNewService(draftOf(service), position.title, { changed: service });
  if (changed === undefined) return undefined;
  if (changed === back) return again();
  // Replace the answers and the program, because they belong to the old address and authentication
  // method.
  Object.assign(setUp, await prefilledFor(changed.service, setUp));
  describe(setUp, changed);
  return 'answered';
}

/**
 * Lets the user describe a new service. Setup then continues with the service's credentials. Going
 * back from the first step returns to the list of services.
 * @param isReturning true to start with the last step
 */
async function addService(
  setUp: SetUp,
  position: Question,
  isReturning = false,
): ReturnType<AskStep> {
  const { draft } = setUp;
  const before = isReturning ? setUp.added : undefined;
  const described = await askNewService(draft, position.title, { isReturning });
  if (described === undefined) return undefined;
  if (described === back) return QUESTIONS.service(setUp, { ...position, problem: undefined });
  const added = before ? withOtherFields(described, before) : described;
  // If nothing has changed, keep the answers from the steps that follow.
  if (before && isDeepStrictEqual(added.entry, before.entry)) return 'answered';
  Object.assign(setUp, await prefilledFor(added.service, setUp), { added });
  return 'answered';
}

/** Returns the service with the headers and model that it had before, unless its address changed. */
function withOtherFields(described: NewService, { entry, service }: NewService): NewService {
  if (described.service.url !== service.url) return described;
  const { headers, defaultModel } = entry;
  const others = { ...(headers !== undefined && { headers }), defaultModel };
  return withFields(described, others) ?? described;
}

/**
 * Returns an item for each service. The chosen service comes first, and the service in use is
 * marked.
 */
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

/**
 * Returns an item for the current address, if any, followed by items for the service's remaining
 * regions.
 */
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
 * Creates an item from typed text; undefined if the text is empty or only filters the regions. The
 * item shows the address as it will be saved, for example, without a pasted endpoint path.
 */
function typedAddress(text: string, service: Service): AddressItem | undefined {
  const { regions } = service;
  // If the service has regions, text without a dot or slash only filters them. Any other non-empty
  // text is an address.
  if (!/[./]/.test(text) && (regions.length > 0 || text === '')) return undefined;
  const url = text.includes('/') ? text : `https://${text.trim()}`;
  const item = { ...(url === text ? { label: url, alwaysShow: true } : typedItem(url)), url };
  const parsed = parseServiceUrl(url, mayBeUnencrypted(service));
  if (!parsed.ok || parsed.url === url) return item;
  return { ...item, detail: SET_UP.typedAddress(parsed.hadEndpoint, parsed.url) };
}
