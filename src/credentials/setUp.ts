import { type QuickPickItem, window } from 'vscode';
import { type Credentials, cleanValue, type SettingName } from '../service/credentials.ts';
import { isKind, ServiceError } from '../service/errors.ts';
import { type Settings, writeSettings } from '../settings.ts';
import { messageFor } from '../ui/messages.ts';
import { askPick, askText, back, type StepAnswer } from '../ui/steps.ts';
import { checkKey, checkProject, checkUrl } from './checks.ts';
import type { KeyRecord, KeyStore } from './keyStore.ts';
import { destination } from './resolve.ts';

/**
 * The guided set-up: key, project, address, test. Nothing is stored until it worked or the user
 * insists, and what is wrong is said in the step that it concerns.
 */

export interface SetUpOptions {
  readonly keys: KeyStore;
  readonly settings: Settings;
  /** Proves credentials with a token request and a tokenization; generates nothing. */
  readonly test: (credentials: Credentials, signal: AbortSignal) => Promise<void>;
  /** The settings to ask for; the others stay as they are. */
  readonly ask: readonly SettingName[];
}

type StepName = SettingName | 'save';

/** What has been answered so far. The key is the only secret and leaves with the flow. */
interface Draft {
  apiKey: string;
  projectId: string;
  url: string;
}

/** @returns true if credentials were saved */
export async function setUp(options: SetUpOptions): Promise<boolean> {
  const { settings, keys, ask } = options;
  const stored = await keys.read();
  const draft: Draft = { apiKey: '', projectId: settings.projectId, url: settings.url };
  const steps: readonly StepName[] = [...ask, 'save'];
  let problem: StepProblem | undefined;
  for (let index = 0; index < steps.length; ) {
    const name = steps[index] ?? 'save';
    const position = {
      title: 'Set Up Hosted Model',
      step: index + 1,
      totalSteps: steps.length,
      problem: problem?.step === name ? problem.text : undefined,
    };
    const answer = await QUESTIONS[name]({ position, draft, stored, options, steps });
    if (answer === undefined) return false;
    problem = typeof answer === 'object' ? answer : undefined;
    if (problem) index = steps.indexOf(problem.step);
    else index += answer === back ? -1 : 1;
  }
  return save(options, draft, stored);
}

interface StepProblem {
  readonly step: StepName;
  readonly text: string;
}

interface Step {
  readonly position: {
    readonly title: string;
    readonly step: number;
    readonly totalSteps: number;
    readonly problem: string | undefined;
  };
  readonly draft: Draft;
  readonly stored: KeyRecord | undefined;
  readonly options: SetUpOptions;
  readonly steps: readonly StepName[];
}

/** Asks, and puts the answer into the draft. A problem sends the flow to the step it concerns. */
type AskStep = (step: Step) => Promise<StepAnswer<'answered' | StepProblem>>;

const QUESTIONS: Readonly<Record<StepName, AskStep>> = {
  apiKey: async ({ position, draft, stored, options }) => {
    const kept = draft.apiKey ? 'the key you typed' : stored ? 'the stored key' : undefined;
    const answer = await askText({
      ...position,
      prompt: `API key of ${options.settings.vendor.name}, created at ${options.settings.vendor.keyPage}. It is kept in VS Code's secret storage.`,
      placeholder: kept ? `Leave empty to keep ${kept}` : 'Paste the API key',
      password: true,
      check: (text) => (text === '' && kept ? undefined : checkKey(text)),
    });
    if (typeof answer !== 'string') return answer;
    if (answer !== '') draft.apiKey = cleanValue(answer).value;
    return 'answered';
  },

  projectId: async ({ position, draft }) => {
    const answer = await askText({
      ...position,
      prompt:
        'ID of the project that requests are billed to: in the project, under Manage, General, Details.',
      placeholder: 'Project ID',
      value: draft.projectId,
      check: checkProject,
    });
    if (typeof answer !== 'string') return answer;
    draft.projectId = cleanValue(answer).value;
    return 'answered';
  },

  url: async ({ position, draft, options }) => {
    const picked = await askPick<AddressItem>({
      ...position,
      placeholder: 'Region of the project, or type the service URL',
      items: addresses(options.settings, draft.url),
      typed: (text) =>
        text.includes('/') ? { label: text, url: text, alwaysShow: true } : undefined,
      accept: async ({ url }) => checkUrl(url, options.settings.authUrl),
    });
    if (picked === undefined || picked === back) return picked;
    const target = destination(options.settings.authUrl, picked.url);
    draft.url = 'setting' in target ? picked.url : target.serviceUrl;
    return 'answered';
  },

  save: async ({ position, draft, stored, options, steps }) => {
    let found: StepProblem | undefined;
    const credentials = draftCredentials(options, draft, stored);
    if ('step' in credentials) return credentials;
    const picked = await askPick<SaveItem>({
      ...position,
      placeholder: `The key goes to ${new URL(credentials.authUrl).host}, selected text to ${new URL(credentials.serviceUrl).host}`,
      items: [
        {
          label: '$(beaker) Test and Save',
          detail: 'Gets a token and checks project and model. Generates nothing.',
          test: true,
        },
        { label: '$(save) Save Without Testing', test: false },
      ],
      accept: async ({ test }, signal) => {
        if (test) found = await problemOf(options.test(credentials, signal), credentials, steps);
        return found?.step === 'save' ? found.text : undefined;
      },
    });
    if (picked === undefined || picked === back) return picked;
    return found ?? 'answered';
  },
};

interface AddressItem extends QuickPickItem {
  readonly url: string;
}

interface SaveItem extends QuickPickItem {
  readonly test: boolean;
}

function addresses({ vendor }: Settings, current: string): AddressItem[] {
  const regions = vendor.regions.map(({ place, url }) => ({ label: place, description: url, url }));
  const others = regions.filter(({ url }) => url !== current);
  if (!current) return others;
  const region = regions.find(({ url }) => url === current);
  const now = { label: region?.label ?? current, url: current };
  return [{ ...now, description: region ? `${current} (current)` : '(current)' }, ...others];
}

/** The credentials of the draft, approved for the hosts that the last step shows. */
function draftCredentials(
  { settings }: SetUpOptions,
  draft: Draft,
  stored: KeyRecord | undefined,
): Credentials | StepProblem {
  const target = destination(settings.authUrl, draft.url);
  if ('setting' in target) {
    return { step: 'url', text: checkUrl(draft.url, settings.authUrl) ?? '' };
  }
  return {
    vendor: settings.vendor,
    apiKey: draft.apiKey || (stored?.apiKey ?? ''),
    projectId: draft.projectId,
    authUrl: target.authUrl,
    serviceUrl: target.serviceUrl,
    approved: { auth: new URL(target.authUrl).origin, service: new URL(target.serviceUrl).origin },
  };
}

/** Runs the test; says what went wrong and in which step it can be mended. */
async function problemOf(
  test: Promise<void>,
  { authUrl }: Credentials,
  steps: readonly StepName[],
): Promise<StepProblem | undefined> {
  try {
    await test;
    return undefined;
  } catch (error) {
    const text = messageFor(error)?.text ?? 'The test was cancelled.';
    const step = stepOf(error, new URL(authUrl).host);
    return steps.includes(step) ? { step, text } : { step: 'save', text };
  }
}

function stepOf(error: unknown, authHost: string): StepName {
  if (isKind(error, 'key-refused')) return 'apiKey';
  if (isKind(error, 'project-unknown', 'project-missing', 'project-without-runtime', 'forbidden')) {
    return 'projectId';
  }
  const onTheWay = isKind(error, 'unreachable', 'certificate', 'redirected', 'unexpected-answer');
  if (onTheWay && error instanceof ServiceError && error.details.host !== authHost) return 'url';
  return 'save';
}

async function save(
  { keys, settings }: SetUpOptions,
  draft: Draft,
  stored: KeyRecord | undefined,
): Promise<boolean> {
  const apiKey = draft.apiKey || stored?.apiKey;
  const target = destination(settings.authUrl, draft.url);
  if (!apiKey || 'setting' in target) return false;
  if (stored && stored.apiKey !== apiKey && !(await mayReplaceKey())) return false;
  await keys.write({ apiKey, authUrl: target.authUrl, serviceUrl: target.serviceUrl });
  await writeSettings({ projectId: draft.projectId, url: target.serviceUrl });
  return true;
}

async function mayReplaceKey(): Promise<boolean> {
  const replace = 'Replace Key';
  const answer = await window.showWarningMessage(
    'Replace the stored API key?',
    { modal: true, detail: 'Text from all folders then goes to the account of the new key.' },
    replace,
  );
  return answer === replace;
}
