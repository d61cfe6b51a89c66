import { type QuickPickItem, window } from 'vscode';
import type { ModelList } from '../../service/api/modelTypes.ts';
import { MODEL_ID } from '../../service/modelId.ts';
import { oneLine } from '../../ui/oneLine.ts';
import { askPick, back, type Question, type StepAnswer, typedItem } from '../../ui/steps.ts';
import { parseDestination } from '../approvedDestination.ts';
import { UNKNOWN_MODEL } from './serviceDraft.ts';
import { type NewService, withFields } from './serviceEntry.ts';
import { NEW_SERVICE } from './setUpMessages.ts';
import { loadModels, testByGenerating } from './setUpRequests.ts';
import { answeredCredentials, type SetUp, type StepProblem, stepsFor } from './setUpState.ts';

/**
 * The parts of setup that complete a new service's address and prompt for its default model.
 */

/**
 * Prompts for a new service's model.
 * @param list the models that the service lists; undefined if they weren't requested or couldn't be
 * loaded
 * @returns the model ID, `back`, or undefined if the user closed the list
 */
async function askModel(
  position: Question,
  list: ModelList | undefined,
): Promise<StepAnswer<string>> {
  const picked = await askPick<QuickPickItem & { readonly id: string }>({
    ...position,
    placeholder: NEW_SERVICE.whichModel,
    items: (list?.models ?? []).map(({ id, label }) => ({
      id,
      label: oneLine(label) || id,
      ...(label !== id && { description: id }),
    })),
    typed: (text) => {
      const id = text.trim();
      if (!MODEL_ID.test(id) || list?.models.some((model) => model.id === id)) return undefined;
      return { id, ...typedItem(id) };
    },
    expected: NEW_SERVICE.typeModel,
  });
  return picked === undefined || picked === back ? picked : picked.id;
}

/** Asks before testing a service without a model list, because the test generates one token. */
async function confirmTestGeneration(url: string): Promise<boolean> {
  const { question, detail, generate } = NEW_SERVICE.oneToken;
  const { host } = new URL(url);
  const options = { modal: true, detail };
  return (await window.showInformationMessage(question(host), options, generate)) === generate;
}

/**
 * Returns the new service with `/v1` added to its address, because people often omit that path.
 * Undefined if the address already has a path.
 */
export function withVersion(added: NewService): NewService | undefined {
  const { pathname } = new URL(added.service.url);
  return pathname === '/' ? withFields(added, { url: `${added.service.url}/v1` }) : undefined;
}

/**
 * Replaces the definition of the service that setup adds or changes, along with the settings, URL,
 * and steps that depend on that definition.
 */
export function describe(setUp: SetUp, added: NewService): void {
  const { service } = added;
  const { url, authUrl, defaultModelId: modelId } = service;
  const settings = { ...setUp.settings, service, url, authUrl, modelId };
  const steps = stepsFor(service, setUp.imported !== undefined);
  Object.assign(setUp, { added, settings, url, steps });
}

/**
 * Prompts for a new service's model, unless it's already known. If the user chose to test a service
 * that has no model list, offers to test it by generating one token.
 * @param wasTested true if the user chose to test the service before saving
 */
export async function chooseModel(
  setUp: SetUp,
  position: Question,
  wasTested: boolean,
): Promise<'chosen' | StepProblem> {
  const { added } = setUp;
  const credentials = () => {
    const { settings, url } = setUp;
    const target = parseDestination(settings.authUrl, url, settings.service);
    return 'setting' in target ? undefined : answeredCredentials(setUp, target);
  };
  const before = credentials();
  if (added?.service.defaultModelId !== UNKNOWN_MODEL || !before) return 'chosen';
  const listed = wasTested && setUp.hasModelList === true;
  const list = listed ? await loadModels(setUp, before) : undefined;
  const hasNone = list ? list.models.length === 0 : wasTested && setUp.hasModelList === false;
  const noModels = hasNone ? NEW_SERVICE.noModels(before.serviceUrl) : undefined;
  const model = await askModel({ ...position, problem: noModels }, list);
  // Users may expect the service to be saved already. If they close this step, return to the last
  // step of setup instead of discarding their answers.
  if (model === undefined) return { step: 'save', text: NEW_SERVICE.notSaved };
  if (model === back) return { step: 'save', text: '' };
  const chosen = withFields(added, { defaultModel: model });
  if (!chosen) return { step: 'save', text: NEW_SERVICE.typeModel };
  describe(setUp, chosen);
  if (!wasTested || listed) return 'chosen';
  const after = credentials();
  if (!after || !(await confirmTestGeneration(after.serviceUrl))) return 'chosen';
  const problem = await testByGenerating(setUp, after);
  if (problem === undefined) return 'chosen';
  // Forget the model so that the user can pick another one when saving again.
  describe(setUp, added);
  return { step: 'save', text: problem };
}
