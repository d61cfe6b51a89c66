import type { Model } from '../service/api/modelTypes.ts';
import { lifecycleOf } from '../service/models/modelLifecycle.ts';
import { oneLine } from '../ui/oneLine.ts';

/**
 * Rows for *Select Model*. Text from the service isn't trusted, so it's reduced to short plain
 * text. A model's description comes last, because VS Code cuts off long text. Pure.
 */

export interface ModelRow {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

const MAX_PROVIDER_LENGTH = 40;
const MAX_SUCCESSORS = 3;

/**
 * Returns the rows, with the current model first. Models that are deprecated or have a withdrawal
 * date come last.
 */
export function modelRows(models: readonly Model[], current: string): ModelRow[] {
  const groupOf = (model: Model) => {
    if (model.id === current) return 'inUse';
    return isLeaving(model) ? 'leaving' : 'staying';
  };
  const { inUse = [], staying = [], leaving = [] } = Object.groupBy(models, groupOf);
  return [...inUse, ...staying, ...leaving].map((model) => rowOf(model, model.id === current));
}

/** Returns the list's placeholder, which names the current model. */
export function modelHint(models: readonly Model[], current: string): string {
  const listed = models.find(({ id }) => id === current);
  const hint = `Current: ${oneLine(current)}`;
  if (!listed) return `${hint} (not listed)`;
  return lifecycleOf(listed).stage === 'withdrawn' ? `${hint} (withdrawn)` : hint;
}

/** Returns the note to show under the input box if the service has more models than it listed. */
export function moreModelsHint({ length }: readonly Model[]): string {
  return `The service has more models than the ${length.toLocaleString('en')} listed here. To use another model, set hostedModel.modelId.`;
}

function rowOf(model: Model, isCurrent: boolean): ModelRow {
  const details = [
    lifeText(model),
    oneLine(model.provider, MAX_PROVIDER_LENGTH),
    model.contextLength && `${model.contextLength.toLocaleString('en')}-token context`,
    oneLine(model.description),
  ];
  const name = oneLine(model.label) || model.id;
  // Mark the current model in words, too, because screen readers don't read the icon.
  const notes = [name !== model.id && model.id, isCurrent && 'current model'];
  return {
    id: model.id,
    label: name + (isCurrent ? ' $(check)' : ''),
    description: notes.filter(Boolean).join(' · '),
    detail: details.filter(Boolean).join(' · '),
  };
}

/**
 * Describes a model's lifecycle, as in "deprecated, will be withdrawn on 2027-01-15, successor
 * maker/next". Empty unless the model has a deprecation or withdrawal date, or is in a stage such
 * as `constricted`.
 */
function lifeText(model: Model): string {
  const { stage, deprecated, withdrawn, others, successors } = lifecycleOf(model);
  const isOver = stage === 'withdrawn';
  return [
    ...others,
    !isOver && deprecated && (stage ? 'deprecated' : `will be deprecated on ${deprecated}`),
    withdrawn && `${isOver ? 'withdrawn on' : 'will be withdrawn on'} ${withdrawn}`,
    successorsText(successors),
  ]
    .filter(Boolean)
    .join(', ');
}

function successorsText(ids: readonly string[]): string {
  const named = ids.slice(0, MAX_SUCCESSORS);
  return named.length > 0 ? `successor${named.length > 1 ? 's' : ''} ${named.join(', ')}` : '';
}

function isLeaving(model: Model): boolean {
  const { stage, withdrawn } = lifecycleOf(model);
  return withdrawn !== undefined || stage !== undefined;
}
