import { FileType, type Memento, type WorkspaceFolder, workspace } from 'vscode';
import { readEnvFile, readEnvironment } from '../dotenv/envFile.ts';
import { decodeEnvFile, ENV_FILE_LIMIT_BYTES } from '../dotenv/envText.ts';
import { isWellFormed } from '../dotenv/settingValue.ts';
import { cleanValue } from '../service/credentials.ts';
import type { Vendor } from '../service/vendors.ts';
import { readSettings, type Settings } from '../settings.ts';
import type { Approvals, Subject } from './approvals.ts';
import { envFileOf, hasFiles } from './folders.ts';
import type { KeyStore } from './keyStore.ts';
import {
  destination,
  type ExternalSource,
  type ExternalSourceId,
  type ExternalText,
  type Folder,
  type SourceId,
  type SourceSnapshot,
  type SourceValues,
  type UnreadReason,
} from './sourceSelection.ts';

/** What the three sources hold at this moment, and which of them the user prefers. */

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
  owner: WorkspaceFolder | null,
): Promise<SourceSnapshot> {
  const { keys, approvals, environment } = options;
  const folder = folderOf(owner);
  const settings = folderSettings(owner, folder);
  const sourceOf = async (id: ExternalSourceId, text: ExternalText): Promise<ExternalSource> => {
    const values = text.kind === 'read' ? text.reading.values : undefined;
    if (!values) return { id, text, answer: undefined };
    const answer = await approvals.answerFor(sourceSubject(id, values, { folder, settings }));
    return { id, text, values, destination: destination(settings.authUrl, values.url), answer };
  };
  // As it is when somebody asks: any part of the extension host can change it.
  const inEnvironment = readExternalEnvironment(environment, settings.vendor);
  // A folder can be slow to answer. What a sign-out takes away is read after it.
  const inFile = await readExternalFile(owner, settings.vendor);
  const [record, ...outside] = await Promise.all([
    keys.read(),
    sourceOf('envFile', inFile),
    sourceOf('environment', inEnvironment),
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

/**
 * Reads the `.env` in the root of a folder, once and as bytes, so that what is approved is what is
 * used. A repository chooses what stands there: no link is followed, no device opened, nothing
 * large read (rule T12 of the threat model).
 */
export async function readExternalFile(
  folder: WorkspaceFolder | null,
  vendor: Vendor,
): Promise<ExternalText> {
  if (!folder) return unread('no-folder');
  if (!workspace.isTrusted) return unread('untrusted');
  if (!hasFiles(folder)) return unread('virtual');
  const file = envFileOf(folder);
  try {
    const { type, size } = await workspace.fs.stat(file);
    if ((type & FileType.SymbolicLink) !== 0) return unread('symbolic-link');
    if (type !== FileType.File) return unread('not-a-file');
    if (size > ENV_FILE_LIMIT_BYTES) return unread('too-large');
  } catch {
    return unread('no-file');
  }
  try {
    const decoded = decodeEnvFile(await workspace.fs.readFile(file));
    if (!decoded) return unread('not-text');
    return { kind: 'read', reading: readEnvFile(decoded.text, vendor) };
  } catch {
    return unread('unreadable');
  }
}

/** The keys in the `.env` files of all folders, of which none is in use: an agent can read them. */
export async function keysOfFolders({ vendor }: Pick<Settings, 'vendor'>): Promise<string[]> {
  const folders = workspace.workspaceFolders ?? [];
  const texts = await Promise.all(folders.map((folder) => readExternalFile(folder, vendor)));
  return texts.flatMap((text) => (text.kind === 'read' ? (text.reading.values?.apiKey ?? []) : []));
}

/** Reads the environment of the extension host. A dev container chooses it, so it needs trust, too. */
export function readExternalEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  vendor: Vendor,
): ExternalText {
  if (!workspace.isTrusted) return unread('untrusted');
  return { kind: 'read', reading: readEnvironment(environment, vendor) };
}

function unread(why: UnreadReason): ExternalText {
  return { kind: 'unread', why };
}

/** What an answer about a source depends on. */
export function sourceSubject(
  id: ExternalSourceId,
  { apiKey, projectId, url }: SourceValues,
  { folder, settings: { vendor, authUrl } }: Pick<SourceSnapshot, 'folder' | 'settings'>,
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
function folderSettings(owner: WorkspaceFolder | null, folder: Folder) {
  const settings = readSettings(owner?.uri);
  const { value } = cleanValue(settings.folderProjectId);
  const isUsable =
    workspace.isTrusted &&
    folder.uri !== '' &&
    value === settings.folderProjectId &&
    isWellFormed('projectId', value);
  return isUsable ? settings : { ...settings, folderProjectId: '' };
}

function folderOf(owner: WorkspaceFolder | null): Folder {
  // An answer given where no document is open belongs to that workspace, not to every window.
  const uri = owner?.uri ?? workspace.workspaceFile;
  if (!uri) return { uri: '', path: '', name: '', workspaceFolder: null };
  // A path may hold letters that look like others or turn the text around them, and blanks that
  // make a line of its own out of a part of it.
  const isPlain = /^[\x20-\x7e]*$/.test(uri.fsPath) && !uri.fsPath.includes('  ');
  return {
    uri: uri.toString(),
    path: isPlain ? uri.fsPath : uri.toString(),
    name: owner ? plainName(owner.name) : '',
    workspaceFolder: owner,
  };
}

/** A workspace file names folders as it likes: brackets would make a link of it in a message. */
function plainName(name: string): string {
  return /^\w[\w .-]{0,59}$/.test(name) ? name : 'this folder';
}
