import type { LanguageModelChatInformation, Memento } from 'vscode';
import type { Model } from '../service/api/modelList.ts';
import { CHAT_NEW_TOKENS } from '../service/api/parameters.ts';
import type { Connection } from '../service/connection.ts';
import { lifecycleOf } from '../service/models/modelLifecycle.ts';
import type { ModelSource } from '../service/models/models.ts';
import { oneLine } from '../ui/oneLine.ts';
import { becomesLink, modelTooltip } from './chatMessages.ts';

/**
 * The models that VS Code offers in its chat, as the service listed them last: VS Code asks for them
 * many times, and is answered without a request.
 */

const LISTS = 'hostedModel.chatModels';
/** Services, each with its operations, whose lists are kept. */
const MOST_LISTS = 8;
/** Of each; nobody picks from more. */
const MOST_MODELS = 200;
const TOOLS = 'function_calling';
const IMAGES = 'image_chat';
const PLAIN_NAME = /^[\w .:/+-]{1,80}$/;
/** What most models take, where the service does not say. */
const USUAL_CONTEXT = 32_768;
/** The list of a day ago is looked at again once somebody chats. */
const STALE_MS = 86_400_000;

interface KeptList {
  readonly from: string;
  /** Wall-clock milliseconds. */
  readonly at: number;
  readonly models: readonly Model[];
}

export class ChatModels {
  readonly #state: Memento;
  readonly #now: () => number;
  readonly #onChange: () => void;

  /** @param onChange called when a list has been kept */
  constructor(state: Memento, now: () => number, onChange: () => void) {
    this.#state = state;
    this.#now = now;
    this.#onChange = onChange;
  }

  /**
   * The model in the settings first, and those that the service has listed for this operation. One
   * that it has not listed yet has no abilities that would be a mere hope.
   */
  information(connection: Connection): LanguageModelChatInformation[] {
    const { resource, projectId, modelId } = connection;
    const isDeployment = resource === 'deployment';
    const models = isDeployment ? [] : (this.#kept(connection)?.models ?? []);
    const id = isDeployment ? projectId : modelId;
    const current = models.find((model) => model.id === id) ?? unlisted(id);
    const others = models.filter((model) => model !== current);
    return [current, ...others].map((model) => informationOf(model, connection));
  }

  isStale(source: ModelSource): boolean {
    const at = this.#kept(source)?.at ?? Number.NEGATIVE_INFINITY;
    return Math.abs(this.#now() - at) > STALE_MS;
  }

  /** Keeps what a service has listed. */
  async keep(source: ModelSource, models: readonly Model[]): Promise<void> {
    const from = keyOf(source);
    const others = this.#lists().filter((list) => list.from !== from);
    const byId = new Map(models.slice(0, MOST_MODELS).map((model) => [model.id, model]));
    const list: KeptList = { from, at: this.#now(), models: [...byId.values()].map(slim) };
    await this.#state.update(LISTS, [...others, list].slice(-MOST_LISTS));
    this.#onChange();
  }

  #kept(source: ModelSource): KeptList | undefined {
    return this.#lists().find(({ from }) => from === keyOf(source));
  }

  #lists(): readonly KeptList[] {
    return this.#state.get(LISTS, []);
  }
}

function keyOf({ serviceUrl, service, operation }: ModelSource): string {
  // Two services can share an address.
  return [serviceUrl, operation, service.word].join(' ');
}

/** As much of a model as is shown: what a service says of one can be long. */
function slim(model: Model): Model {
  return {
    ...model,
    ...{ label: plainName(model.label), provider: plainName(model.provider), description: '' },
    tasks: model.tasks.filter((task) => task === TOOLS),
    functions: model.functions.filter((one) => one === IMAGES),
    lifecycle: model.lifecycle.filter(({ stage }) => stage === 'withdrawn').slice(0, 1),
  };
}

/** VS Code renders the name of a model as Markdown that may run commands. */
function plainName(text: string): string {
  return PLAIN_NAME.test(text) && !becomesLink(text) ? text : '';
}

function unlisted(id: string): Model {
  return { id, label: id, provider: '', description: '', functions: [], tasks: [], lifecycle: [] };
}

function informationOf(
  model: Model,
  { service, serviceUrl, projectId, operation }: Connection,
): LanguageModelChatInformation {
  const context = model.contextLength ?? USUAL_CONTEXT;
  const most = Math.floor(context / 2);
  const maxOutputTokens = Math.min(CHAT_NEW_TOKENS, model.maxOutputTokens ?? most, most);
  const region = service.regions.find(({ url }) => url === serviceUrl)?.place;
  const { withdrawn } = lifecycleOf(model);
  return {
    id: model.id,
    name: model.label || model.id,
    family: model.id,
    version: service.word,
    detail: [region ?? new URL(serviceUrl).host, oneLine(projectId)].filter(Boolean).join(' · '),
    tooltip: modelTooltip(model.id, model.provider, withdrawn),
    maxInputTokens: context - maxOutputTokens,
    maxOutputTokens,
    capabilities: {
      toolCalling: operation === 'chat' && model.tasks.includes(TOOLS),
      imageInput: operation === 'chat' && model.functions.includes(IMAGES),
    },
  };
}
