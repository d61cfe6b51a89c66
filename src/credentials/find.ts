import { type Memento, type WorkspaceFolder, workspace } from 'vscode';
import { cleanValue } from '../service/credentials.ts';
import type { SourceReading } from '../service/settingSource.ts';
import { isWellFormed } from '../service/settingValue.ts';
import { readSettings } from '../settings.ts';
import type { Approvals, Subject } from './approvals.ts';
import {
  type Folder,
  type Found,
  type OutsideId,
  type OutsideSource,
  type OutsideText,
  type SourceId,
  valuesOf,
} from './choose.ts';
import type { KeyStore } from './keyStore.ts';
import { readOutsideEnvironment, readOutsideFile } from './outside.ts';
import type { WantedSettings } from './resolve.ts';

export interface FindOptions {
  readonly keys: KeyStore;
  readonly approvals: Approvals;
  /** State of this workspace, kept by VS Code outside of its folders. */
  readonly workspaceState: Memento;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const PREFERRED = 'hostedModel.preferredSource';

/** Looks in all three sources, once, on behalf of one folder. Asks nothing. */
export async function findSources(
  options: FindOptions,
  owner: WorkspaceFolder | undefined,
): Promise<Found> {
  const { keys, approvals, environment } = options;
  const folder = folderOf(owner);
  const settings = folderSettings(owner, folder);
  const record = await keys.read();
  const outside = await Promise.all([
    sourceOf('envFile', await readOutsideFile(owner, settings.vendor)),
    sourceOf('environment', readOutsideEnvironment(environment, settings.vendor)),
  ]);
  return {
    settings,
    record,
    isWindowOnly: keys.isWindowOnly,
    folder,
    projectAnswer: settings.folderProjectId
      ? await approvals.answerFor(projectSubject(folder, settings.folderProjectId))
      : undefined,
    outside,
    preferred: preferredSource(options),
  };

  async function sourceOf(id: OutsideId, text: OutsideText): Promise<OutsideSource> {
    const values = valuesOf(text);
    const subject = values && sourceSubject(id, values, folder, settings);
    return { id, text, answer: subject && (await approvals.answerFor(subject)) };
  }
}

/** What an answer about a source depends on. */
export function sourceSubject(
  id: OutsideId,
  { apiKey, projectId, url }: NonNullable<SourceReading['values']>,
  folder: Folder,
  { vendor, authUrl }: WantedSettings,
): Subject {
  return ['source', id, folder.uri, vendor.word, authUrl, apiKey, projectId, url];
}

export function projectSubject(folder: Folder, projectId: string): Subject {
  return ['project', folder.uri, projectId];
}

/** Which source the user chose in this workspace. */
function preferredSource({ workspaceState }: FindOptions): SourceId | undefined {
  const source = workspaceState.get<unknown>(PREFERRED);
  return source === 'envFile' || source === 'environment' ? source : undefined;
}

export async function preferSource(
  { workspaceState }: FindOptions,
  source: SourceId,
): Promise<void> {
  await workspaceState.update(PREFERRED, source === 'editor' ? undefined : source);
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
