import { problemOfKey, problemOfProject } from '../credentials/answerChecks.ts';
import {
  addressText,
  capitalized,
  contextOf,
  issuesText,
  lookedText,
  missingText,
  sourceName,
  sourceProblem,
  unusableText,
} from '../credentials/sentences.ts';
import {
  type Destination,
  type ExternalSource,
  editorProject,
  externalSource,
  type SourceId,
  type SourceSelection,
  type SourceSnapshot,
  valuesOf,
} from '../credentials/sourceSelection.ts';
import type { Fix } from '../messages/actions.ts';
import type { MessageContext } from '../messages/fixLocation.ts';
import {
  type Blemish,
  type Credentials,
  cleanValue,
  type SettingName,
} from '../service/credentials.ts';
import type { ShownCheck } from './diagnosisView.ts';

/** What *Diagnose Connection* says about the three settings before anything is sent. Pure. */

/** What a diagnosis starts from. */
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
export function whatToDiagnose(found: SourceSnapshot, choice: SourceSelection): Diagnosed {
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

/** What is wrong with the values themselves. */
export interface SettingFlaws {
  /** What was taken off each value before it is used. */
  readonly blemishes: readonly (readonly [SettingName, readonly Blemish[]])[];
  /** A value that nothing can be done with, and what is wrong with it. */
  readonly unusable: { readonly setting: SettingName; readonly text: string } | undefined;
}

/** Where the settings come from, how they are written, and whether their hosts are approved. */
export function preliminaryChecks(
  found: SourceSnapshot,
  choice: SourceSelection,
  flaws: SettingFlaws,
): readonly ShownCheck[] {
  if (choice.kind === 'chosen-unusable') {
    return [chosenSettings(choice.source, found), notRun('Syntax'), notRun('Hosts')];
  }
  const source = sourceOf(found, choice);
  const partial = source ? undefined : partialSource(found, choice);
  if (partial) return [partialSettings(partial, found), notRun('Syntax'), notRun('Hosts')];
  if (!source) {
    const names = choice.kind === 'missing' ? choice.names : [];
    const text = `${missingText(names)} ${lookedText(found)}`;
    return [failed('Settings', text, 'setUp'), notRun('Syntax'), notRun('Hosts')];
  }
  const settings = passed('Settings', originText(source, found, choice));
  const syntax = source === 'editor' ? editorSyntax(choice, flaws) : outsideSyntax(source, found);
  if (syntax.state === 'failed') return [settings, syntax, notRun('Hosts')];
  return [settings, syntax, hostsCheck(found, choice)];
}

function originText(source: SourceId, found: SourceSnapshot, choice: SourceSelection): string {
  if (choice.kind === 'bad-address' && choice.setting === 'authUrl') return 'All three are there.';
  const name = sourceName(source, found);
  const hasOtherProject = source === 'editor' && editorProject(found) !== found.settings.projectId;
  return hasOtherProject
    ? `From ${name}; the project from the settings of the folder or machine.`
    : `All three from ${name}.`;
}

/** What the user chose over the order goes before everything else that could be said. */
function chosenSettings(source: ExternalSource, found: SourceSnapshot): ShownCheck {
  const problem = sourceProblem(source) ?? 'incomplete';
  const text = `You chose ${sourceName(source.id, found)} for this folder, and it cannot be used (${problem}). Nothing was sent.`;
  const isOpenable = source.id === 'envFile' && source.text.kind === 'read';
  return failed('Settings', text, isOpenable ? 'openEnvFile' : 'approve');
}

/** The source that is used or would be, once it is approved or mended; undefined for none. */
function sourceOf({ outside }: SourceSnapshot, choice: SourceSelection): SourceId | undefined {
  if (choice.kind === 'ready') return choice.source;
  if (choice.kind === 'ask-source') return choice.source.id;
  if (choice.kind !== 'missing') return 'editor';
  // Complete but for its errors: those are the cause, rather than what the editor lacks. A
  // placeholder is an error and a value that is missing.
  const faulty = outside.find(({ text, answer }) => {
    if (text.kind !== 'read' || answer === 'refused') return false;
    const { named, missing, values, findings } = text.reading;
    const isFaulty = (name: string) => findings.some((one) => one.isError && one.name === name);
    return named.length > 0 && missing.every(isFaulty) && !values;
  });
  return faulty?.id;
}

/**
 * Where nothing is stored in the editor, somebody wanted to use the source that names a setting,
 * rightly or nearly: what it lacks is the cause.
 */
function partialSource(
  { record, outside }: SourceSnapshot,
  choice: SourceSelection,
): ExternalSource | undefined {
  if (choice.kind !== 'missing' || record) return undefined;
  return outside.find(({ text, answer }) => {
    if (text.kind !== 'read' || answer === 'refused') return false;
    const { named, findings } = text.reading;
    return named.length > 0 || findings.some(({ flaw }) => flaw.kind === 'similar-name');
  });
}

function partialSettings(source: ExternalSource, found: SourceSnapshot): ShownCheck {
  const name = sourceName(source.id, found);
  const problem = sourceProblem(source) ?? '';
  const isShort = problem.startsWith('lacks ');
  const text = isShort ? `${capitalized(name)} ${problem}.` : `In ${name}, ${problem}.`;
  const fix = source.id === 'envFile' ? 'openEnvFile' : 'setUp';
  return failed('Settings', `${text} Only a complete source is used. Nothing was sent.`, fix);
}

function editorSyntax(choice: SourceSelection, { blemishes, unusable }: SettingFlaws): ShownCheck {
  if (choice.kind === 'bad-address') {
    return failed('Syntax', addressText(choice.setting, choice.problem), 'openSettings');
  }
  if (unusable) {
    const fix = unusable.setting === 'apiKey' ? 'setApiKey' : 'openSettings';
    return failed('Syntax', unusableText(unusable.setting, unusable.text), fix);
  }
  const text = blemishes.map(([name, kinds]) => issuesText(name, kinds)).join(' ');
  if (!text) return passed('Syntax', 'All are well-formed.');
  return { title: 'Syntax', state: 'warning', text, fix: 'openSettings' };
}

function outsideSyntax(source: SourceId, found: SourceSnapshot): ShownCheck {
  const outside = externalSource(found, source);
  if (!outside || valuesOf(outside.text)) return passed('Syntax', 'All are well-formed.');
  const name = sourceName(source, found);
  const text = `In ${name}, ${sourceProblem(outside)}. A source with an error is not used. Mend the value.`;
  return failed('Syntax', text, source === 'envFile' ? 'openEnvFile' : 'setUp');
}

function hostsCheck(found: SourceSnapshot, choice: SourceSelection): ShownCheck {
  switch (choice.kind) {
    case 'ready': {
      const { auth, service } = choice.credentials.approved;
      const [authHost, serviceHost] = [new URL(auth).host, new URL(service).host];
      return passed(
        'Hosts',
        `The key goes to ${authHost}, text to ${serviceHost}, as you approved.`,
      );
    }
    case 'unapproved':
      return unapproved('The settings lead', choice.wanted);
    case 'ask-source':
      return unapproved(
        `${capitalized(sourceName(choice.source.id, found))} leads`,
        choice.source.destination,
      );
    default:
      return failed(
        'Hosts',
        'The settings of this folder name a project that you have not approved. Nothing was sent.',
        'approve',
      );
  }
}

function unapproved(what: string, { authHost, serviceHost }: Destination): ShownCheck {
  const text = `${what} to ${authHost} and ${serviceHost}, which you have not approved. Nothing was sent.`;
  return failed('Hosts', text, 'approve');
}

function passed(title: string, text: string): ShownCheck {
  return { title, state: 'passed', text };
}

function failed(title: string, text: string, fix: Fix): ShownCheck {
  return { title, state: 'failed', text, fix };
}

function notRun(title: string): ShownCheck {
  return { title, state: 'not-run', text: '' };
}

function editorFlaws({ settings, record }: SourceSnapshot, choice: SourceSelection): SettingFlaws {
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
function projectInUse(choice: SourceSelection): string | undefined {
  if (choice.kind === 'ready') return choice.credentials.projectId;
  return choice.kind === 'ask-project' ? choice.projectId : undefined;
}

function unusable(setting: SettingName, text: string | undefined) {
  return text === undefined ? undefined : { setting, text };
}
