import type { ShownCheck } from '../diagnostics/diagnosisView.ts';
import { preliminaryChecks, type SettingFlaws } from '../diagnostics/preliminaryChecks.ts';
import type { MessageContext } from '../messages/fixLocation.ts';
import { type Credentials, cleanValue, type SettingName } from '../service/credentials.ts';
import { problemOfKey, problemOfProject } from './answerChecks.ts';
import type { Choice, Found } from './choose.ts';

/** What a diagnosis starts from. Pure. */
export interface Diagnosed {
  /** What is to be said before anything is sent. */
  readonly preliminary: readonly ShownCheck[];
  /** The same without the name of the folder. */
  readonly reported: readonly ShownCheck[];
  /** Undefined if they are missing, malformed or not approved. */
  readonly credentials: Credentials | undefined;
  readonly context: MessageContext;
}

/** The credentials that a generation would use now, and what is known about them. */
export function whatToDiagnose(found: Found, choice: Choice): Diagnosed {
  const flaws = editorFlaws(found, choice);
  const preliminary = preliminaryChecks(found, choice, flaws);
  const nameless = { ...found, folder: { ...found.folder, name: '' } };
  const mayBeUsed = choice.kind === 'ready' && preliminary.every(({ state }) => state !== 'failed');
  return {
    preliminary,
    reported: preliminaryChecks(nameless, choice, flaws),
    credentials: mayBeUsed ? choice.credentials : undefined,
    context: contextOf(choice),
  };
}

/** What a message about these credentials has to know of them. */
export function contextOf(choice: Choice): MessageContext {
  if (choice.kind !== 'ready') return {};
  return { source: choice.source, ...hostContext(choice.credentials) };
}

/** The same for the test of a set-up, which asks for all that it tests but the identity address. */
export function contextOfTest(credentials: Credentials): MessageContext {
  return { source: 'answers', isCheck: true, ...hostContext(credentials) };
}

/** Where one host is both, its name does not tell which of the two failed. */
function hostContext({ authUrl, serviceUrl }: Credentials): MessageContext {
  const [authHost, serviceHost] = [new URL(authUrl).host, new URL(serviceUrl).host];
  return authHost === serviceHost ? {} : { authHost };
}

function editorFlaws({ settings, record }: Found, choice: Choice): SettingFlaws {
  const projectId = projectInUse(choice);
  // One that the folder brings is well-formed, or it would not be read.
  const isOwn = projectId === cleanValue(settings.projectId).value;
  return {
    blemishes: (['projectId', 'url'] as const).flatMap((name) => {
      const { blemishes } = cleanValue(settings[name]);
      const isUsed = name === 'url' || isOwn;
      return isUsed && blemishes.length > 0 ? [[name, blemishes] as const] : [];
    }),
    unusable:
      unusable('apiKey', problemOfKey(record?.apiKey ?? '')) ??
      (projectId === undefined ? undefined : unusable('projectId', problemOfProject(projectId))),
  };
}

/** The project that text would be sent for; undefined as long as that is not known. */
function projectInUse(choice: Choice): string | undefined {
  if (choice.kind === 'ready') return choice.credentials.projectId;
  return choice.kind === 'ask-project' ? choice.projectId : undefined;
}

function unusable(setting: SettingName, text: string | undefined) {
  return text === undefined ? undefined : { setting, text };
}
