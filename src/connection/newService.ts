import type { QuickPickItem } from 'vscode';
import { serviceEntries } from '../config/configuration.ts';
import { readServices, type ServiceIssue, wordOf } from '../service/addedServices.ts';
import { programPath } from '../service/auth/programPath.ts';
import { cleanValue, parseServiceUrl } from '../service/credentials.ts';
import { commandOf, type Service } from '../service/service.ts';
import { askPick, askText, back, type Question, type StepAnswer } from '../ui/steps.ts';
import { validationOf } from './answerChecks.ts';
import { splitCommand } from './commandLine.ts';
import { URL_PROBLEMS } from './connectionMessages.ts';
import {
  API_CHOICES,
  type ApiChoice,
  KEY_HEADERS,
  LOGINS,
  type Login,
  type LoginField,
} from './newServiceChoices.ts';
import { NEW_SERVICE, notAllowedText } from './setUpMessages.ts';

/** The setup steps in which the user describes a new service. They don't write settings. */

/** An entry of `hostedModel.services`. */
export type ServiceEntry = Readonly<Record<string, unknown>>;

/** The answers so far, which are prefilled if the user goes back. */
export interface ServiceDraft {
  api: ApiChoice;
  address: string;
  login: Login | undefined;
  readonly fields: Partial<Record<LoginField, string>>;
}

/** A new service, its entry, and the number of steps in which the user described it. */
export interface NewService {
  readonly entry: ServiceEntry;
  readonly service: Service;
  readonly steps: number;
}

/** A placeholder for the model ID until the user picks a model from the service's list. */
export const UNKNOWN_MODEL = 'unknown';

export function emptyDraft(): ServiceDraft {
  return { api: API_CHOICES[0], address: '', login: undefined, fields: {} };
}

type DraftStep = 'api' | 'address' | 'login' | LoginField;
type AskDraft = (draft: ServiceDraft, position: Question) => Promise<StepAnswer<'answered'>>;

/**
 * Prompts for the API, address, and login of a new service.
 * @param taken the services that already exist
 * @param title the title of the setup
 * @param changed an existing service to change instead; it keeps its name, headers, and models
 */
export async function askNewService(
  draft: ServiceDraft,
  taken: readonly Service[],
  title: string,
  changed?: Service,
): Promise<StepAnswer<NewService>> {
  let index = 0;
  let problem: { readonly step: DraftStep; readonly text: string } | undefined;
  for (;;) {
    const steps: readonly DraftStep[] = ['api', 'address', 'login', ...(draft.login?.fields ?? [])];
    const step = steps[index];
    if (step === undefined) {
      const made = newService(draft, taken, steps.length, changed);
      if ('service' in made) return made;
      problem = { step: STEP_OF[made.field] ?? 'address', text: notAllowedText(made.field) };
      index = Math.max(0, steps.indexOf(problem.step));
      continue;
    }
    const answer = await ASK[step](draft, {
      title,
      step: index + 2,
      // The steps for the service, the secret, and the approval aren't in `steps`.
      totalSteps: steps.length + 3,
      problem: problem?.step === step ? problem.text : undefined,
    });
    if (answer === undefined) return undefined;
    problem = undefined;
    index += answer === back ? -1 : 1;
    if (index < 0) return back;
  }
}

const ASK: Readonly<Record<DraftStep, AskDraft>> = {
  api: async (draft, position) => {
    const others = API_CHOICES.filter((one) => one !== draft.api);
    const picked = await askPick<ApiChoice>({
      ...position,
      placeholder: NEW_SERVICE.whichApi,
      items: [draft.api, ...others],
    });
    if (picked === undefined || picked === back) return picked;
    draft.api = picked;
    return 'answered';
  },

  address: async (draft, position) => {
    const answer = await askText({
      ...position,
      prompt: draft.api.addressPrompt,
      placeholder: NEW_SERVICE.addressExample,
      value: draft.address,
      check: (text) => {
        const parsed = parseServiceUrl(addressOf(text), true);
        const issue = parsed.ok
          ? undefined
          : `${NEW_SERVICE.badAddress}: ${URL_PROBLEMS[parsed.problem]}.`;
        return validationOf(text, issue);
      },
    });
    if (typeof answer !== 'string') return answer;
    draft.address = answer;
    return 'answered';
  },

  login: async (draft, position) => {
    const items = LOGINS.map((login) => ({
      label: login.label,
      description: login.description,
      login,
    }));
    const first = items.filter(({ login }) => login === draft.login);
    const picked = await askPick<QuickPickItem & { readonly login: Login }>({
      ...position,
      placeholder: NEW_SERVICE.whichLogin,
      items: [...new Set([...first, ...items])],
    });
    if (picked === undefined || picked === back) return picked;
    draft.login = picked.login;
    return 'answered';
  },

  header: async (draft, position) => {
    const itemOf = (label: string) => ({ label });
    const picked = await askPick<QuickPickItem>({
      ...position,
      placeholder: NEW_SERVICE.whichHeader,
      items: KEY_HEADERS.map(itemOf),
      typed: (text) => (text.trim() ? { label: text.trim(), alwaysShow: true } : undefined),
    });
    if (picked === undefined || picked === back) return picked;
    draft.fields.header = picked.label;
    return 'answered';
  },

  command: async (draft, position) => {
    for (let problem = position.problem; ; ) {
      const answer = await askText({
        ...position,
        problem,
        prompt: NEW_SERVICE.commandPrompt,
        placeholder: NEW_SERVICE.commandExample,
        value: draft.fields.command ?? '',
        check: (text) =>
          validationOf('', splitCommand(text)?.[0] ? undefined : NEW_SERVICE.badCommand),
      });
      if (typeof answer !== 'string') return answer;
      draft.fields.command = answer;
      const [program = ''] = splitCommand(answer) ?? [];
      if (await programPath(program)) return 'answered';
      problem = NEW_SERVICE.noProgram;
    }
  },

  tokenUrl: async (draft, position) => {
    const answer = await askText({
      ...position,
      prompt: NEW_SERVICE.tokenUrlPrompt,
      placeholder: 'https://login.acme.example/oauth2/token',
      value: draft.fields.tokenUrl ?? draft.login?.tokenUrl ?? '',
      check: (text) => {
        const parsed = parseServiceUrl(text);
        const issue = parsed.ok
          ? undefined
          : `${NEW_SERVICE.badAddress}: ${URL_PROBLEMS[parsed.problem]}.`;
        return validationOf(text, issue);
      },
    });
    if (typeof answer !== 'string') return answer;
    draft.fields.tokenUrl = cleanValue(answer).value;
    return 'answered';
  },
};

/** The step in which the user can fix an invalid field of the entry, by field. */
const STEP_OF: Readonly<Partial<Record<ServiceIssue['field'], DraftStep>>> = {
  tokenUrl: 'tokenUrl',
  header: 'header',
  command: 'command',
};

/** Endpoint paths that people often paste along with the address of a service. */
const PASTED_PATH = /\/(?:chat\/completions|completions|responses|embeddings|models)\/?$/;

/** Removes the path of an endpoint from an address, and adds a missing scheme. */
function addressOf(text: string): string {
  const { value } = cleanValue(text);
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `https://${value}`;
  return url.replace(PASTED_PATH, '');
}

function newService(
  { api, address, login = LOGINS[0], fields }: ServiceDraft,
  taken: readonly Service[],
  steps: number,
  changed: Service | undefined,
): NewService | ServiceIssue {
  const parsed = parseServiceUrl(addressOf(address), true);
  if (!parsed.ok) return { word: '', field: 'url' };
  const { url } = parsed;
  const { hostname, port } = new URL(url);
  const command = fields.command && splitCommand(fields.command);
  const asked = (field: LoginField) => login?.fields.includes(field);
  const added = {
    word: freeWord(hostname, port, taken),
    name: port ? `${hostname} (${port})` : hostname,
    defaultModel: UNKNOWN_MODEL,
  };
  const before = changed && serviceEntry(changed);
  const entry = {
    ...(before ?? added),
    url,
    api: api.api,
    authentication: {
      ...login?.authentication,
      ...otherFields(before, login),
      ...(asked('header') && { header: fields.header }),
      ...(asked('command') && { command }),
      ...(asked('tokenUrl') && { tokenUrl: fields.tokenUrl }),
    },
  };
  const { own, issues } = readServices([entry]);
  const [service] = own;
  return service ? { entry, service, steps } : (issues[0] ?? { word: '', field: 'url' });
}

/**
 * Returns the fields of the previous login that the setup doesn't prompt for. Empty if the user
 * picked another kind of login.
 */
function otherFields(before: ServiceEntry | undefined, login: Login | undefined): ServiceEntry {
  const { header, command, tokenUrl, ...others } = Object(before?.['authentication']);
  return others.kind === login?.authentication.kind ? others : {};
}

/** Derives an unused service ID from the host, such as `llm_acme_example`. */
function freeWord(hostname: string, port: string, taken: readonly Service[]): string {
  const host = `${hostname} ${port}`.trim().toLowerCase();
  const plain = host.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '');
  const word = (/^[a-z]/.test(plain) ? plain : `local_${plain}`).slice(0, 28);
  // Invalid entries aren't in `taken`, but their IDs are in use, too.
  const words = new Set([...taken.map((one) => one.word), ...serviceEntries().map(wordOf)]);
  let free = word;
  for (let number = 2; words.has(free); number += 1) free = `${word}_${number}`;
  return free;
}

/** Returns the service with these fields added or replaced; undefined if the result isn't valid. */
export function withFields(added: NewService, fields: ServiceEntry): NewService | undefined {
  const entry = { ...added.entry, ...fields };
  const [service] = readServices([entry]).own;
  return service && { ...added, entry, service };
}

/** Adds an entry to a list, or replaces the entry with the same `word`. Returns a new list. */
export function withEntry(entries: readonly unknown[], entry: ServiceEntry): readonly unknown[] {
  const isSame = (one: unknown) => wordOf(one) === wordOf(entry);
  return entries.some(isSame)
    ? entries.map((one) => (isSame(one) ? entry : one))
    : [...entries, entry];
}

/** Returns the entry of a service that the user added. */
export function serviceEntry({ definition = '{}' }: Service): ServiceEntry {
  return JSON.parse(definition);
}

/** Converts an existing service to the form that the setup edits. */
export function existingService(service: Service): NewService {
  return { entry: serviceEntry(service), service, steps: 0 };
}

/** Returns the setup answers that would result in this service. */
export function draftOf(service: Service): ServiceDraft {
  const { api, authentication } = service;
  const { kind } = authentication;
  const header = 'header' in authentication ? authentication.header : '';
  const command = commandOf(service)?.map(quoted).join(' ');
  const login = LOGINS.find(
    (one) => one.authentication.kind === kind && one.fields.includes('header') === (header !== ''),
  );
  return {
    api: API_CHOICES.find((one) => one.api === api.kind) ?? API_CHOICES[0],
    address: service.url,
    login,
    fields: {
      ...(header && { header }),
      ...(command && { command }),
      ...('path' in authentication && { tokenUrl: service.authUrl + authentication.path }),
    },
  };
}

/** Quotes an argument for `splitCommand`. */
function quoted(argument: string): string {
  if (/^[^\s"']+$/.test(argument)) return argument;
  const parts = argument.split('"').map((part) => `"${part}"`);
  return parts.join(`'"'`);
}
