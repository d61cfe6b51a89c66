import { apiOf } from '../api/apis.ts';
import type { Model } from '../api/modelTypes.ts';
import { functionOf, type Operation } from '../apiCapabilities.ts';
import type { Service } from '../service.ts';
import type { ModelFacts } from '../statedModels.ts';

/**
 * Combines a service's model list with facts from elsewhere, such as the user's settings. Pure.
 */

/** If `Model.tasks` contains this value, the model can call tools. */
export const TOOLS = 'function_calling';
/** If `Model.functions` contains this value, the model accepts images. */
export const IMAGES = 'image_chat';

interface StatedFor {
  readonly service: Pick<Service, 'api' | 'models'>;
  readonly operation: Operation;
}

/**
 * Returns a copy of the model with the given facts. Undefined facts leave the model's values
 * unchanged.
 */
export function withFacts(model: Model, facts: ModelFacts): Model {
  return {
    ...model,
    label: facts.name ?? model.label,
    contextLength: facts.context ?? model.contextLength,
    maxOutputTokens: facts.output ?? model.maxOutputTokens,
    tasks: withItem(model.tasks, TOOLS, facts.tools),
    functions: withItem(model.functions, IMAGES, facts.images),
  };
}

/**
 * Returns the models that the user describes, followed by the models that only the service lists.
 */
export function withStatedModels(listed: readonly Model[], from: StatedFor): readonly Model[] {
  const { models } = from.service;
  if (models.length === 0) return listed;
  const byId = new Map(listed.map((model) => [model.id, model]));
  const stated = models.map((one) =>
    withFacts(byId.get(one.id) ?? unlistedModel(one.id, from), one),
  );
  const statedIds = new Set(models.map(({ id }) => id));
  return [...stated, ...listed.filter(({ id }) => !statedIds.has(id))];
}

/**
 * Returns the model with this ID, combining the facts from the service's list with those from the
 * user's entry for the service. The user's facts take precedence.
 * @param listed the model as listed by the service; undefined if the service doesn't list it
 * @returns undefined if neither the service nor the user's entry lists the model
 */
export function withStatedFacts(
  listed: Model | undefined,
  id: string,
  from: StatedFor,
): Model | undefined {
  const facts = from.service.models.find((one) => one.id === id);
  return facts ? withFacts(listed ?? unlistedModel(id, from), facts) : listed;
}

function unlistedModel(id: string, { service, operation }: StatedFor): Model {
  return {
    id,
    label: id,
    provider: '',
    description: '',
    functions: [functionOf(operation)],
    tasks: apiOf(service).models.assumedTasks,
    lifecycle: [],
  };
}

/**
 * @param isIncluded true to add the item, false to remove it, undefined to return the list
 * unchanged
 */
function withItem(
  list: readonly string[],
  item: string,
  isIncluded: boolean | undefined,
): readonly string[] {
  if (isIncluded === undefined) return list;
  const others = list.filter((one) => one !== item);
  return isIncluded ? [...others, item] : others;
}
