import type { QuickPickItem } from 'vscode';
import { programPath } from '../../service/auth/programPath.ts';
import { cleanValue } from '../../service/pastedValue.ts';
import type { Service } from '../../service/service.ts';
import { parseServiceUrl } from '../../service/serviceUrl.ts';
import {
  askPick,
  askText,
  back,
  type Question,
  type StepAnswer,
  typedItem,
} from '../../ui/steps.ts';
import { addressFlaw, URL_PROBLEMS } from '../connectionMessages.ts';
import { validationOf } from './answerChecks.ts';
import { splitCommand } from './commandLineParser.ts';
import {
  API_CHOICES,
  type ApiChoice,
  AUTH_METHOD_CHOICES,
  type AuthMethodChoice,
  type AuthMethodField,
  KEY_HEADERS,
} from './newServiceChoices.ts';
import { addressOf, newService, type ServiceDraft } from './serviceDraft.ts';
import type { NewService } from './serviceEntry.ts';
import { NEW_SERVICE, notAllowedText } from './setUpMessages.ts';

/**
 * The setup steps in which the user describes a new service or changes an existing one. They don't
 * write settings.
 */

type DraftStep = 'api' | 'address' | 'authMethod' | AuthMethodField;
type AskDraft = (draft: ServiceDraft, position: Question) => Promise<StepAnswer<'answered'>>;

const FIRST_STEPS: readonly DraftStep[] = ['api', 'address', 'authMethod'];

/**
 * Prompts for the API, address, and authentication method of a new or existing service.
 * @param options.changed the existing service, whose name, headers, and models stay the same
 * @param options.isReturning true to start with the last step
 */
export async function askNewService(
  draft: ServiceDraft,
  title: string,
  { changed, isReturning }: { readonly changed?: Service; readonly isReturning?: boolean },
): Promise<StepAnswer<NewService>> {
  let index = isReturning ? FIRST_STEPS.length + (draft.authMethod?.fields.length ?? 0) - 1 : 0;
  let problem: { readonly step: DraftStep; readonly text: string } | undefined;
  for (;;) {
    const steps = [...FIRST_STEPS, ...(draft.authMethod?.fields ?? [])];
    const step = steps[index];
    if (step === undefined) {
      const made = newService(draft, steps.length, changed);
      if ('service' in made) return made;
      // Go back to the step that prompts for the invalid field. If `headers` is invalid, one of the
      // fixed headers has the same name as the key's header. If no step prompts for the field, the
      // address doesn't work with the authentication method.
      const field = made.field === 'headers' ? 'header' : made.field;
      const wrong = steps.find((one) => one === field) ?? 'address';
      problem = { step: wrong, text: notAllowedText(made.field) };
      index = steps.indexOf(wrong);
      continue;
    }
    const answer = await ASK[step](draft, {
      title,
      step: index + 2,
      // `steps` doesn't include the steps for the service, the secret, or the approval.
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
          : `${NEW_SERVICE.badAddress}: ${addressFlaw('url', parsed.problem)}.`;
        return validationOf(text, issue);
      },
    });
    if (typeof answer !== 'string') return answer;
    draft.address = answer;
    return 'answered';
  },

  authMethod: async (draft, position) => {
    const items = AUTH_METHOD_CHOICES.map((authMethod) => ({
      label: authMethod.label,
      description: authMethod.description,
      authMethod,
    }));
    const first = items.filter(({ authMethod }) => authMethod === draft.authMethod);
    const picked = await askPick<QuickPickItem & { readonly authMethod: AuthMethodChoice }>({
      ...position,
      placeholder: NEW_SERVICE.whichAuthMethod,
      items: [...new Set([...first, ...items])],
    });
    if (picked === undefined || picked === back) return picked;
    draft.authMethod = picked.authMethod;
    return 'answered';
  },

  header: async (draft, position) => {
    const headers = new Set([draft.fields.header ?? [], KEY_HEADERS].flat());
    const picked = await askPick<QuickPickItem & { readonly header: string }>({
      ...position,
      placeholder: NEW_SERVICE.whichHeader,
      items: [...headers].map((header) => ({ header, label: header })),
      typed: (text) => {
        const header = text.trim();
        if (header === '' || headers.has(header)) return undefined;
        return { header, ...typedItem(header) };
      },
    });
    if (picked === undefined || picked === back) return picked;
    draft.fields.header = picked.header;
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
      value: draft.fields.tokenUrl ?? draft.authMethod?.tokenUrl ?? '',
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
