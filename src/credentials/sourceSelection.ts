import type { SourceReading } from '../dotenv/envFile.ts';
import type { Credentials, SettingName } from '../service/credentials.ts';
import type { Answer } from './approvals.ts';
import type { KeyRecord } from './keyStore.ts';
import {
  credentialsFor,
  type Destination,
  destination,
  type Resolution,
  resolveCredentials,
  type WantedSettings,
} from './resolve.ts';

/** Which of the three sources is used: a pure rule over what was found in each. */

export type SourceId = 'editor' | ExternalSourceId;

export type ExternalSourceId = 'envFile' | 'environment';

/** What was found, before anybody is asked whether it may be used. */
export type ExternalText =
  | { readonly kind: 'unread'; readonly why: UnreadReason }
  | { readonly kind: 'read'; readonly reading: SourceReading };

export type UnreadReason =
  | 'no-folder'
  | 'untrusted'
  | 'virtual'
  | 'no-file'
  | 'symbolic-link'
  | 'not-a-file'
  | 'too-large'
  | 'not-text'
  | 'unreadable';

/** Everything that was found, read once; nothing in it has been asked about yet. */
export interface SourceSnapshot {
  readonly settings: WantedSettings & { readonly folderProjectId: string };
  readonly record: KeyRecord | undefined;
  readonly folder: Folder;
  /** What was answered about the project that the folder brings; undefined if nothing. */
  readonly projectAnswer: Answer | undefined;
  /** In the order in which they are used. */
  readonly outside: readonly ExternalSource[];
  /** The source that the user chose for this folder; undefined as long as the order holds. */
  readonly preferred: ExternalSourceId | undefined;
}

export interface Folder {
  /** Empty in a window without a folder. */
  readonly uri: string;
  /** For people, in ASCII. */
  readonly path: string;
  readonly name: string;
}

export interface ExternalSource {
  readonly id: ExternalSourceId;
  readonly text: ExternalText;
  /** What was answered about exactly these values; undefined if nothing. */
  readonly answer: Answer | undefined;
}

/** A source that is complete and free of errors, with the hosts it would be used with. */
export interface UsableSource {
  readonly id: ExternalSourceId;
  readonly values: Readonly<Record<SettingName, string>>;
  readonly destination: Destination;
}

export type SourceSelection =
  | { readonly kind: 'ready'; readonly source: SourceId; readonly credentials: Credentials }
  | Exclude<Resolution, { readonly kind: 'ready' }>
  /** The folder brings a project ID of its own, and nobody has been asked about it. */
  | { readonly kind: 'ask-project'; readonly projectId: string }
  /** Nothing else can be used, and nobody has been asked about this. */
  | { readonly kind: 'ask-source'; readonly source: UsableSource }
  /** The user chose this source for the folder, and it cannot be used any more. */
  | { readonly kind: 'chosen-unusable'; readonly source: ExternalSource };

export interface LookupResult {
  readonly found: SourceSnapshot;
  readonly choice: SourceSelection;
}

/** What did not answer in time. */
export interface LookupTimeout {
  readonly silent: 'storage' | 'folder';
}

/**
 * The editor first, then an approved `.env`, then an approved environment, unless the user chose
 * otherwise. Values of two sources are never mixed. A source that is incomplete or has an error is
 * passed over; if none is left, the answer is what stands in the way in the editor.
 */
export function choose(found: SourceSnapshot): SourceSelection {
  const choice = chooseSource(found);
  if (choice.kind !== 'ready') return choice;
  const ofOthers = found.outside.flatMap(({ text }) => valuesOf(text)?.apiKey ?? []);
  const known = [found.record?.apiKey ?? [], ofOthers].flat();
  const otherKeys = known.filter((key) => key !== choice.credentials.apiKey);
  return { ...choice, credentials: { ...choice.credentials, otherKeys } };
}

function chooseSource(found: SourceSnapshot): SourceSelection {
  const chosen = found.preferred && externalSource(found, found.preferred);
  const preferred = chosen && chosen.answer !== 'refused' && usable(found, chosen);
  if (chosen && preferred) {
    // The values the user chose may have changed since: then the question comes again.
    return chosen.answer === 'approved' ? ready(found, preferred) : ask(preferred);
  }
  const badAddress = identityProblem(found);
  if (chosen && chosen.answer !== 'refused' && !isUntrusted(chosen)) {
    // Another account must not take its place without a word: a repository can change the file.
    return badAddress ?? { kind: 'chosen-unusable', source: chosen };
  }
  const editor = chooseEditor(found);
  if (editor.kind !== 'missing' && editor.kind !== 'bad-address') return editor;
  for (const answer of ['approved', undefined] as const) {
    for (const source of found.outside.filter((one) => one.answer === answer)) {
      const complete = usable(found, source);
      if (complete) return answer === 'approved' ? ready(found, complete) : ask(complete);
    }
  }
  return badAddress ?? editor;
}

/** What is wrong with the identity address, where it alone keeps a source from being used. */
function identityProblem({ settings, outside }: SourceSnapshot): SourceSelection | undefined {
  const url = outside.map(({ text }) => valuesOf(text)?.url).find((value) => value !== undefined);
  const target = url === undefined ? undefined : destination(settings.authUrl, url);
  return target && 'setting' in target ? { kind: 'bad-address', ...target } : undefined;
}

/** Restricted Mode reads no source; there the user's own key serves. */
function isUntrusted({ text }: ExternalSource): boolean {
  return text.kind === 'unread' && text.why === 'untrusted';
}

/** What was found in a source outside the editor; undefined for the editor itself. */
export function externalSource(
  { outside }: SourceSnapshot,
  source: SourceId,
): ExternalSource | undefined {
  return outside.find(({ id }) => id === source);
}

/** The three values, if they are complete and free of errors. */
export function valuesOf(text: ExternalText): SourceReading['values'] {
  return text.kind === 'read' ? text.reading.values : undefined;
}

/** The values of a source outside the editor, if they can be used at all. */
export function usable(
  { settings }: SourceSnapshot,
  { id, text }: ExternalSource,
): UsableSource | undefined {
  const values = valuesOf(text);
  if (!values) return undefined;
  // Vendor and identity address are the user's own, whichever source the three settings are from.
  const target = destination(settings.authUrl, values.url);
  return 'setting' in target ? undefined : { id, values, destination: target };
}

/** The project of the editor: that of the folder, unless the user said no to it. */
export function editorProject({ settings, projectAnswer }: SourceSnapshot): string {
  const isOfFolder = settings.folderProjectId !== '' && projectAnswer !== 'refused';
  return isOfFolder ? settings.folderProjectId : settings.projectId;
}

/** What the editor alone can come to. */
export type EditorSelection = Exclude<
  SourceSelection,
  { readonly kind: 'ask-source' | 'chosen-unusable' }
>;

/** What the editor alone comes to. */
export function chooseEditor(found: SourceSnapshot): EditorSelection {
  const { settings, record, projectAnswer } = found;
  const projectId = editorProject(found);
  const resolution = resolveCredentials({ ...settings, projectId }, record);
  if (resolution.kind !== 'ready') return resolution;
  if (projectId === settings.folderProjectId && projectAnswer === undefined) {
    return { kind: 'ask-project', projectId };
  }
  return { ...resolution, source: 'editor' };
}

function ready(
  { settings: { vendor } }: SourceSnapshot,
  { id, values, destination }: UsableSource,
): SourceSelection {
  return { kind: 'ready', source: id, credentials: credentialsFor(vendor, values, destination) };
}

function ask(source: UsableSource): SourceSelection {
  return { kind: 'ask-source', source };
}
