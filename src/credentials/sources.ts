import { type Memento, type WorkspaceFolder, workspace } from 'vscode';
import type { SourceReading } from '../dotenv/envFile.ts';
import { isWellFormed } from '../dotenv/settingValue.ts';
import { cleanValue } from '../service/credentials.ts';
import { readSettings } from '../settings.ts';
import type { Approvals, Subject } from './approvals.ts';
import { readExternalEnvironment, readExternalFile } from './externalSource.ts';
import type { KeyStore } from './keyStore.ts';
import type { WantedSettings } from './resolve.ts';
import {
  type ExternalSource,
  type ExternalSourceId,
  type ExternalText,
  type Folder,
  type SourceId,
  type SourceSnapshot,
  valuesOf,
} from './sourceSelection.ts';

export interface FindOptions {
  readonly keys: KeyStore;
  readonly approvals: Approvals;
  /** State of this workspace, kept by VS Code outside of its folders. */
  readonly workspaceState: Memento;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const PREFERRED = 'hostedModel.preferredSources';

/** Looks in all three sources, once, on behalf of one folder. Asks nothing. */
export async function findSources(
  options: FindOptions,
  owner: WorkspaceFolder | undefined,
): Promise<SourceSnapshot> {
  const { keys, approvals, environment } = options;
  const folder = folderOf(owner);
  const settings = folderSettings(owner, folder);
  // As it is when somebody asks: any part of the extension host can change it.
  const atOnce = readExternalEnvironment(environment, settings.vendor);
  // A folder can be slow to answer. What a sign-out takes away is read after it.
  const texts: readonly (readonly [ExternalSourceId, ExternalText])[] = [
    ['envFile', await readExternalFile(owner, settings.vendor)],
    ['environment', atOnce],
  ];
  // Together: whether a keyring owes an answer shows in the reading of the key.
  const [record, ...outside] = await Promise.all([
    keys.read(),
    ...texts.map(async ([id, text]): Promise<ExternalSource> => {
      const values = valuesOf(text);
      const subject = values && sourceSubject(id, values, folder, settings);
      return { id, text, answer: subject && (await approvals.answerFor(subject)) };
    }),
  ]);
  return {
    settings,
    record,
    folder,
    projectAnswer: settings.folderProjectId
      ? await approvals.answerFor(projectSubject(folder, settings.folderProjectId))
      : undefined,
    outside,
    preferred: preferences(options)[folder.uri],
  };
}

/** What an answer about a source depends on. */
export function sourceSubject(
  id: ExternalSourceId,
  { apiKey, projectId, url }: NonNullable<SourceReading['values']>,
  folder: Folder,
  { vendor, authUrl }: WantedSettings,
): Subject {
  return ['source', id, folder.uri, vendor.word, authUrl, apiKey, projectId, url];
}

export function projectSubject(folder: Folder, projectId: string): Subject {
  return ['project', folder.uri, projectId];
}

/** Which source the user chose over the order, for each folder of this workspace. */
function preferences({ workspaceState }: FindOptions): Readonly<Record<string, ExternalSourceId>> {
  return workspaceState.get(PREFERRED, {});
}

export async function preferSource(
  options: FindOptions,
  { uri }: Folder,
  source: SourceId,
): Promise<void> {
  const others = Object.entries(preferences(options)).filter(([folder]) => folder !== uri);
  const all = source === 'editor' ? others : [...others, [uri, source]];
  await options.workspaceState.update(PREFERRED, Object.fromEntries(all));
}

/** The order holds again in every folder of this workspace. */
export async function forgetPreferences({ workspaceState }: FindOptions): Promise<void> {
  await workspaceState.update(PREFERRED, undefined);
}

/** A project of the folder that cannot be one, or that no folder answers for, is as good as none. */
function folderSettings(owner: WorkspaceFolder | undefined, folder: Folder) {
  const settings = readSettings(owner?.uri);
  const { value } = cleanValue(settings.folderProjectId);
  const isUsable =
    workspace.isTrusted &&
    folder.uri !== '' &&
    value === settings.folderProjectId &&
    isWellFormed('projectId', value);
  return isUsable ? settings : { ...settings, folderProjectId: '' };
}

function folderOf(owner: WorkspaceFolder | undefined): Folder {
  // An answer given where no document is open belongs to that workspace, not to every window.
  const uri = owner?.uri ?? workspace.workspaceFile;
  if (!uri) return { uri: '', path: '', name: '' };
  // A path may hold letters that look like others or turn the text around them, and blanks that
  // make a line of its own out of a part of it.
  const isPlain = /^[\x20-\x7e]*$/.test(uri.fsPath) && !uri.fsPath.includes('  ');
  return {
    uri: uri.toString(),
    path: isPlain ? uri.fsPath : uri.toString(),
    name: owner ? plainName(owner.name) : '',
  };
}

/** A workspace file names folders as it likes: brackets would make a link of it in a message. */
function plainName(name: string): string {
  return /^\w[\w .-]{0,59}$/.test(name) ? name : 'this folder';
}
