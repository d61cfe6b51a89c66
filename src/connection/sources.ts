import { isDeepStrictEqual } from 'node:util';
import { type FileSystemError, FileType, type WorkspaceFolder, workspace } from 'vscode';
import { readSettings, type Settings, settingsFor, withStoredService } from '../config/settings.ts';
import {
  type Assignment,
  assignmentsIn,
  assignmentsOf,
  decodeEnvFile,
  ENV_FILE_LIMIT_BYTES,
} from '../dotenv/envText.ts';
import { isWellFormed, valuesOf } from '../dotenv/settingValue.ts';
import {
  firstReading,
  publicReading,
  readForAll,
  type ServiceReading,
  type SourceReading,
  type SourceValues,
} from '../dotenv/sourceReading.ts';
import { readServices } from '../service/addedServices.ts';
import { programPath } from '../service/auth/programPath.ts';
import { AUTH_INPUTS } from '../service/authInputs.ts';
import { serviceFor, services } from '../service/builtInServices.ts';
import type { ServiceKey } from '../service/credentials.ts';
import { Secret } from '../service/secret.ts';
import { canOverrideAuthUrl, commandOf, type Service } from '../service/service.ts';
import { parseDestination } from './approvedDestination.ts';
import type { KeyRecord, KeyStore } from './keyStore.ts';
import { type SourceApprovals, type Subject, subjectOf } from './sourceApprovals.ts';
import type {
  EditorSource,
  ExternalSource,
  ExternalSourceId,
  ExternalText,
  Folder,
  SourceSnapshot,
  UnreadReason,
} from './sourceTypes.ts';
import { envFileOf, hasFiles } from './workspaceEnvFiles.ts';

/** Reads the three sources of credentials: the editor, the `.env` file, and the environment. */

export interface FindOptions {
  readonly keys: KeyStore;
  readonly approvals: SourceApprovals;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads all three sources once. Never prompts.
 * @param owner the folder to read the sources for; null for no folder
 * @param unused folders whose `.env` files aren't used, but may contain keys that must not appear
 * in prompts
 */
export async function findSources(
  options: FindOptions,
  owner: WorkspaceFolder | null,
  unused: readonly WorkspaceFolder[] = [],
): Promise<SourceSnapshot> {
  const { keys, approvals } = options;
  const folder = folderOf(owner);
  const sourceOf = async (
    id: ExternalSourceId,
    { text: read, inUse }: ReadText,
  ): Promise<ExternalSource> => {
    const text = read.kind === 'read' ? { ...read, reading: publicReading(read.reading) } : read;
    if (!inUse?.reading.values) return { id, text };
    const { service } = inUse;
    const { values } = inUse.reading;
    // The identity address in the settings applies only to the service in the settings.
    const authUrl = service.word === settings.service.word ? settings.authUrl : service.authUrl;
    const subject = sourceSubject(id, service, values, { folder, authUrl });
    const decision = await approvals.decisionFor(subject);
    return {
      id,
      text,
      service,
      values: new Secret(values),
      destination: parseDestination(authUrl, values.url || service.url, service),
      subject,
      decision,
    };
  };
  // Read the environment on each lookup, because any code in the extension host can change it.
  const assignments = assignmentsIn(options.environment);
  // Reading the `.env` files can be slow. Read the stored keys afterward to detect a sign-out that
  // happens in the meantime.
  const [envFile, unusedFiles] = await Promise.all([
    readEnvFile(owner),
    Promise.all(unused.map(readEnvFile)),
  ]);
  const settings = withStoredService(readSettings(owner?.uri), await keys.services());
  const inFile = readText(envFile, settings);
  const own = settings.service.word;
  const stored = [keys.read(own), keys.others(own)] as const;
  // Parsing takes several milliseconds, so parse while secret storage is being read. A dev
  // container can set environment variables, so reading them requires workspace trust, too.
  const inEnvironment = readText(workspace.isTrusted ? assignments : 'untrusted', settings);
  const [record, others, program, ...external] = await Promise.all([
    ...stored,
    programOf(settings.service),
    sourceOf('envFile', inFile),
    sourceOf('environment', inEnvironment),
  ]);
  const kept = record ? [[own, record] as const, ...others] : others;
  const texts = [inFile, inEnvironment, ...unusedFiles.map((file) => readText(file, settings))];
  return {
    settings,
    record: record && new Secret(record),
    program,
    others: others.flatMap((stored) => storedSource(stored, settings) ?? []),
    keys: new Secret([...kept.flatMap(storedKeys), ...texts.flatMap(keysIn)]),
    folder,
    external,
  };
}

/**
 * Returns the editor source for a service, with the key, address, and project from its stored
 * record. Undefined if the service no longer exists.
 */
function storedSource(
  [word, record]: readonly [word: string, record: KeyRecord],
  settings: Settings,
): EditorSource | undefined {
  const service = serviceFor(word, settings.services);
  if (!service) return undefined;
  const { authUrl, serviceUrl, projectId = '', resource } = record;
  return {
    settings: {
      ...settingsFor(service, settings),
      authUrl: canOverrideAuthUrl(service) ? authUrl : service.authUrl,
      url: service.url || serviceUrl,
      ...{ projectId, resource, isProjectOverridden: false },
    },
    record: new Secret(record),
  };
}

/**
 * Reads the `.env` file at the root of a folder. Reads it only once so that the values in use are
 * exactly the approved ones. The file may come from a repository, so links aren't followed, and
 * devices and large files aren't read (T12 in docs/threat-model.md).
 */
async function readEnvFile(
  folder: WorkspaceFolder | null,
): Promise<readonly Assignment[] | UnreadReason> {
  if (!folder) return 'no-folder';
  if (!workspace.isTrusted) return 'untrusted';
  if (!hasFiles(folder)) return 'virtual';
  const file = envFileOf(folder);
  const there = await workspace.fs.stat(file).then(undefined, unreadReason);
  if (typeof there === 'string') return there;
  if ((there.type & FileType.SymbolicLink) !== 0) return 'symbolic-link';
  if (there.type === FileType.Directory) return 'folder';
  if (there.type !== FileType.File) return 'not-a-file';
  if (there.size > ENV_FILE_LIMIT_BYTES) return 'too-large';
  const bytes = await workspace.fs.readFile(file).then(undefined, () => undefined);
  if (!bytes) return 'unreadable';
  const text = decodeEnvFile(bytes);
  return text === undefined ? 'not-text' : assignmentsOf(text);
}

/**
 * Returns the reason why `stat` failed. For any code except `FileNotFound`, the file may exist but
 * be unreadable.
 */
function unreadReason(error: Partial<FileSystemError>): UnreadReason {
  return error.code === 'FileNotFound' ? 'no-file' : 'unreadable';
}

/** Reads the settings of all known services from a folder's `.env` file. */
export async function readExternalFile(
  folder: WorkspaceFolder | null,
  known: KnownServices,
): Promise<ReadText> {
  return readText(await readEnvFile(folder), known);
}

/** The reasons for not reading a `.env` file that no longer apply once its text is saved. */
const FIXED_BY_SAVING: ReadonlySet<UnreadReason> = new Set(['no-file', 'too-large', 'not-text']);

/**
 * True if a `.env` file might be used once it's saved with this text. False if the text contains
 * no settings of the service, if the file can't be read, or if the user declined the saved values
 * and the text has no other complete values.
 */
export function mayUseOnceSaved(
  text: string,
  { text: saved, values, decision }: ExternalSource,
  known: KnownServices,
): boolean {
  if (saved.kind === 'unread' && !FIXED_BY_SAVING.has(saved.why)) return false;
  const { inUse } = readText(assignmentsOf(text), known);
  if (!inUse || inUse.reading.named.length === 0) return false;
  if (decision !== 'declined') return true;
  const { values: unsaved } = inUse.reading;
  return unsaved !== undefined && !isDeepStrictEqual(unsaved, values && Secret.open(values));
}

/**
 * Returns every well-formed key in a source, along with its account, if known. A key in an
 * incomplete or faulty set isn't used, but it may still be valid.
 */
function keysIn({ all }: ReadText): ServiceKey[] {
  return all.flatMap(({ service, reading }) => {
    const given = reading.named.filter(({ isGiven }) => isGiven);
    const sets = [...new Set(given.map(({ set }) => set))];
    // If a setting is on more than one line, some programs use the first line and others the last,
    // so read both.
    const orders = [given, given.toReversed()];
    const read = orders.flatMap((lines) => sets.map((set) => valuesOf(set, lines)));
    // List the other keys without their accounts, because a source can contain thousands of keys,
    // and an account can be long.
    const known = new Set(read.map(({ apiKey }) => apiKey));
    const others = given.filter(({ setting, value }) => setting === 'apiKey' && !known.has(value));
    return [
      ...read.map(({ account, apiKey = '' }) => ({ service, account, apiKey })),
      ...others.map(({ value }) => ({ service, apiKey: value })),
    ].filter(({ apiKey }) => apiKey !== '' && isWellFormed('apiKey', apiKey, service));
  });
}

/**
 * Returns a stored key, with the service as defined when the key was saved. If the definition is no
 * longer valid, returns the key once for each authentication method that can use it. The methods
 * send keys in different forms.
 */
function storedKeys([word, record]: readonly [word: string, record: KeyRecord]): ServiceKey[] {
  const { account, apiKey, definition, headerSecrets, program } = record;
  const known = definition === undefined ? serviceFor(word) : serviceIn(definition);
  const possible = known ? [known] : servicesOfEachMethod(apiKey !== '');
  return possible.map((service) => ({ service, account, apiKey, headerSecrets, program }));
}

/**
 * Returns a service for each authentication method that needs a key or, if `hasKey` is false, for
 * each method that doesn't.
 */
function servicesOfEachMethod(hasKey: boolean): Service[] {
  return Object.entries(AUTH_INPUTS)
    .filter(([, { secret }]) => (secret !== undefined) === hasKey)
    .map(([word, { read }]) => ({ ...services[0], word, authentication: read('', () => '', []) }));
}

/**
 * Returns the path to the program that a service's command starts. Undefined if the service has no
 * command, or if the program isn't found.
 */
export async function programOf(service: Service): Promise<string | undefined> {
  const [program] = commandOf(service) ?? [];
  return program === undefined ? undefined : programPath(program);
}

/** Parses the entry of a service that the user added. Returns undefined if the entry is invalid. */
function serviceIn(definition: string): Service | undefined {
  try {
    return readServices([JSON.parse(definition)]).own[0];
  } catch {
    return undefined;
  }
}

type KnownServices = Pick<Settings, 'service' | 'isServiceSet' | 'services'>;

/** The content of a source, and the settings read from it for each service. */
interface ReadText {
  readonly text: ExternalText<SourceReading>;
  /** The reading to use; undefined if the source wasn't read. */
  readonly inUse: ServiceReading | undefined;
  readonly all: readonly ServiceReading[];
}

/**
 * Selects the reading for the service in the settings, even if that reading is incomplete, so that
 * prompts never go to another account. If the settings don't name a service, uses the result of
 * `firstReading`.
 */
function readText(
  assignments: readonly Assignment[] | UnreadReason,
  known: KnownServices,
): ReadText {
  if (typeof assignments === 'string') {
    return { text: { kind: 'unread', why: assignments }, inUse: undefined, all: [] };
  }
  const all = readForAll(assignments, known.service, known.services);
  const inUse = known.isServiceSet ? all[0] : firstReading(all, known.services);
  const namesOtherService = all.length > 1 && inUse.reading.named.length === 0;
  return { text: { kind: 'read', reading: inUse.reading, namesOtherService }, inUse, all };
}

/** Returns everything that a decision about a source depends on. */
function sourceSubject(
  id: ExternalSourceId,
  { word, definition = '' }: Service,
  { account = '', apiKey, projectId, url, resource = 'project' }: SourceValues,
  { folder, authUrl }: { readonly folder: Folder; readonly authUrl: string },
): Subject {
  return subjectOf({
    source: id,
    folder: folder.uri,
    service: word,
    entry: definition,
    authUrl,
    account,
    apiKey,
    resource,
    projectId,
    url,
  });
}

function folderOf(owner: WorkspaceFolder | null): Folder {
  // If there's no folder, use the workspace file so that a decision doesn't apply to every window.
  const uri = owner?.uri ?? workspace.workspaceFile;
  if (!uri) return { uri: '', path: '', name: '', workspaceFolder: null };
  // A path can contain look-alike letters, characters that reverse the text, or runs of spaces that
  // push part of the path onto another line. The URI encodes all of them.
  const isPlain = /^[\x20-\x7e]*$/.test(uri.fsPath) && !uri.fsPath.includes('  ');
  return {
    uri: uri.toString(),
    path: isPlain ? uri.fsPath : uri.toString(),
    name: owner ? plainName(owner.name) : '',
    workspaceFolder: owner,
  };
}

/**
 * Returns the folder's name, or `this folder` if the name isn't safe to show in a message. A
 * workspace file can set any folder name, and brackets in the name could form a link.
 */
function plainName(name: string): string {
  return /^\w[\w .-]{0,59}$/.test(name) ? name : 'this folder';
}
