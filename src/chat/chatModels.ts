import type { LanguageModelChatInformation, Memento } from 'vscode';
import type { Model } from '../service/api/modelTypes.ts';
import { CONVERSATION_NEW_TOKENS } from '../service/api/parameters.ts';
import type { Connection } from '../service/connection.ts';
import { IMAGES, TOOLS, withStatedModels } from '../service/models/mergeModelFacts.ts';
import { endStages, lifecycleOf } from '../service/models/modelLifecycle.ts';
import type { ModelQuery } from '../service/models/models.ts';
import { hasOwnModel, type Service } from '../service/service.ts';
import { MODEL_NAME } from '../service/statedModels.ts';
import { oneLine } from '../ui/oneLine.ts';
import { becomesLink, modelTooltip } from './chatMessages.ts';

/**
 * Stores each service's model list for VS Code's chat. VS Code requests the models so often that
 * the lists can't be fetched each time.
 */

const LISTS = 'hostedModel.chatModels';
const MAX_LISTS = 8;
/** Maximum number of models in a stored list. Users wouldn't look through a longer list. */
const MAX_MODELS = 200;
/** Context length, in tokens, to assume if the service doesn't report one. */
const USUAL_CONTEXT = 32_768;
/**
 * Age in milliseconds at which a list becomes stale. Each window refreshes a service's stale list
 * at most once, after a chat response.
 */
const STALE_MS = 86_400_000;

interface KeptList {
  readonly from: string;
  /** Time of the last update, in milliseconds since 1970. */
  readonly at: number;
  readonly models: readonly Model[];
}

export class ChatModels {
  readonly #state: Memento;
  readonly #now: () => number;
  readonly #onChange: () => void;

  /**
   * @param now returns the current time, in milliseconds since 1970
   * @param onChange called after a list is saved
   */
  constructor(state: Memento, now: () => number, onChange: () => void) {
    this.#state = state;
    this.#now = now;
    this.#onChange = onChange;
  }

  /**
   * Returns the connection's model, followed by the other models in the stored list and in the
   * service's settings entry. Deprecated and withdrawn models are left out, unless the settings
   * name them. If the connection's model is in neither the stored list nor the settings entry, it's
   * still offered, but without tool calling or image input. For a deployment that has its own
   * model, returns only that model.
   * @param isOnlyService false if the models of other services are offered, too
   */
  information(connection: Connection, isOnlyService = true): LanguageModelChatInformation[] {
    const kept = this.#kept(connection)?.models ?? [];
    const ownId = ownModelId(connection);
    const models = hasOwnModel(connection) ? [] : withStatedModels(kept, connection).map(slim);
    const current = models.find(({ id }) => id === ownId) ?? unlisted(ownId);
    const isNamed = ({ id }: Model) => connection.service.models.some((one) => one.id === id);
    // VS Code can select any of the models, so leave out those that will be withdrawn.
    const others = models
      .filter((model) => model !== current)
      .filter((model) => isNamed(model) || lifecycleOf(model).stage === undefined);
    return [current, ...others].map((model) => informationOf(model, connection, isOnlyService));
  }

  /**
   * Returns the connection's model from the stored list. Undefined if there's no stored list, or if
   * the model isn't in it.
   */
  storedModel(connection: Connection): Model | undefined {
    return this.#kept(connection)?.models.find(({ id }) => id === connection.modelId);
  }

  isStale(source: ModelQuery): boolean {
    const at = this.#kept(source)?.at ?? Number.NEGATIVE_INFINITY;
    return Math.abs(this.#now() - at) > STALE_MS;
  }

  async keep(source: ModelQuery, models: readonly Model[]): Promise<void> {
    const from = keyOf(source);
    const others = this.#lists().filter((list) => list.from !== from);
    const byId = new Map(models.slice(0, MAX_MODELS).map((model) => [model.id, model]));
    const list: KeptList = { from, at: this.#now(), models: [...byId.values()].map(slim) };
    await this.#state.update(LISTS, [...others, list].slice(-MAX_LISTS));
    this.#onChange();
  }

  #kept(source: ModelQuery): KeptList | undefined {
    return this.#lists().find(({ from }) => from === keyOf(source));
  }

  #lists(): readonly KeptList[] {
    return this.#state.get(LISTS, []);
  }
}

function keyOf({ serviceUrl, service, operation }: ModelQuery): string {
  // The key includes the service, because two services can share an address. It also includes the
  // models in the service's settings entry so that a stored list isn't used after the user changes
  // those models.
  const stated = service.models.length > 0 ? [JSON.stringify(service.models)] : [];
  return [serviceUrl, operation, service.word, ...stated].join(' ');
}

/** Drops unsafe names and any data that the chat doesn't use, such as descriptions. */
function slim(model: Model): Model {
  return {
    ...model,
    ...{ label: plainName(model.label), provider: plainName(model.provider), description: '' },
    tasks: model.tasks.filter((task) => task === TOOLS),
    functions: model.functions.filter((one) => one === IMAGES),
    lifecycle: endStages(model),
  };
}

/**
 * Returns the name, or an empty string if the name is unsafe. VS Code renders model names as
 * Markdown, which can contain links that run commands.
 */
function plainName(text: string): string {
  return MODEL_NAME.test(text) && !becomesLink(text) ? text : '';
}

function unlisted(id: string): Model {
  return { id, label: id, provider: '', description: '', functions: [], tasks: [], lifecycle: [] };
}

/**
 * Returns the ID of the connection's model. For a deployment that has its own model, returns the ID
 * of the deployment instead.
 */
export function ownModelId(connection: Connection): string {
  return hasOwnModel(connection) ? connection.projectId : connection.modelId;
}

/**
 * Returns a model's ID in VS Code. The ID includes the service, because two services can offer the
 * same model, and IDs must be unique.
 */
export function chatModelId({ word }: Service, modelId: string): string {
  return `${word}:${modelId}`;
}

/** Splits an ID that `chatModelId` returned into the service's `word` and the model ID. */
export function partsOfId(id: string): { readonly word: string; readonly modelId: string } {
  const end = id.indexOf(':');
  return { word: id.slice(0, end), modelId: id.slice(end + 1) };
}

function informationOf(
  model: Model,
  { service, serviceUrl, projectId, operation }: Connection,
  isOnlyService: boolean,
): LanguageModelChatInformation {
  const context = model.contextLength ?? USUAL_CONTEXT;
  const most = Math.floor(context / 2);
  const maxOutputTokens = Math.min(CONVERSATION_NEW_TOKENS, model.maxOutputTokens ?? most, most);
  const region = service.regions.find(({ url }) => url === serviceUrl)?.place;
  const { withdrawn } = lifecycleOf(model);
  return {
    id: chatModelId(service, model.id),
    name: model.label || model.id,
    family: model.id,
    version: service.word,
    detail: [!isOnlyService && service.name, region ?? new URL(serviceUrl).host, oneLine(projectId)]
      .filter(Boolean)
      .join(' · '),
    tooltip: modelTooltip(model.id, model.provider, withdrawn),
    maxInputTokens: context - maxOutputTokens,
    maxOutputTokens,
    capabilities: {
      toolCalling: operation === 'chat' && model.tasks.includes(TOOLS),
      imageInput: operation === 'chat' && model.functions.includes(IMAGES),
    },
  };
}
