import { FileType, type WorkspaceFolder, workspace } from 'vscode';
import { readSettings, type Settings, withStoredService } from '../config/settings.ts';
import {
  firstReading,
  readForAll,
  type ServiceReading,
  type SourceValues,
} from '../dotenv/envFile.ts';
import {
  type Assignment,
  assignmentsIn,
  assignmentsOf,
  decodeEnvFile,
  ENV_FILE_LIMIT_BYTES,
} from '../dotenv/envText.ts';
import { isWellFormed, valuesOf } from '../dotenv/settingValue.ts';
import { readServices } from '../service/addedServices.ts';
import type { ServiceKey } from '../service/credentials.ts';
import { type Service, serviceFor, services } from '../service/services.ts';
import type { Approvals, Subject } from './approvals.ts';
import { destination } from './binding.ts';
import { envFileOf, hasFiles } from './folders.ts';
import type { KeyRecord, KeyStore } from './keyStore.ts';
import type {
  ExternalSource,
  ExternalSourceId,
  ExternalText,
  Folder,
  SourceSnapshot,
  UnreadReason,
} from './sourceSelection.ts';

/** What the three sources hold at this moment. */

export interface FindOptions {
  readonly keys: KeyStore;
  readonly approvals: Approvals;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Looks in all three sources, once, on behalf of one folder. Asks nothing. */
export async function findSources(
  options: FindOptions,
  owner: WorkspaceFolder | null,
): Promise<SourceSnapshot> {
  const { keys, approvals } = options;
  const folder = folderOf(owner);
  const sourceOf = async (
    id: ExternalSourceId,
    { text, inUse }: ReadText,
  ): Promise<ExternalSource> => {
    if (!inUse?.reading.values) return { id, text };
    const { service } = inUse;
    const { values } = inUse.reading;
    // The address in the settings is that of the service that they name.
    const authUrl = service.word === settings.service.word ? settings.authUrl : service.authUrl;
    const subject = sourceSubject(id, service, values, { folder, authUrl });
    const answer = await approvals.answerFor(subject);
    const target = destination(authUrl, values.url);
    return { id, text, service, values, destination: target, subject, answer };
  };
  // As it is when somebody asks: any part of the extension host can change it.
  const assignments = assignmentsIn(options.environment);
  // A folder can be slow to answer. What a sign-out takes away is read after it.
  const envFile = await readEnvFile(owner);
  const settings = withStoredService(readSettings(owner?.uri), await keys.services());
  const inFile = readText(envFile, settings);
  const { word } = settings.service;
  const stored = [keys.read(word), keys.others(word)] as const;
  // Takes milliseconds, while secret storage takes more. A dev container chooses the environment,
  // so it needs trust, too.
  const inEnvironment = readText(workspace.isTrusted ? assignments : 'untrusted', settings);
  const [record, others, ...outside] = await Promise.all([
    ...stored,
    sourceOf('envFile', inFile),
    sourceOf('environment', inEnvironment),
  ]);
  const kept = record ? [[word, record] as const, ...others] : others;
  return {
    settings,
    record,
    keys: [...kept.map(storedKey), ...keysIn(inFile), ...keysIn(inEnvironment)],
    folder,
    outside,
  };
}

/**
 * Reads the `.env` in the root of a folder, once and as bytes, so that what is approved is what is
 * used. A repository chooses what stands there: no link is followed, no device opened, nothing
 * large read (rule T12 of the threat model).
 */
async function readEnvFile(
  folder: WorkspaceFolder | null,
): Promise<readonly Assignment[] | UnreadReason> {
  if (!folder) return 'no-folder';
  if (!workspace.isTrusted) return 'untrusted';
  if (!hasFiles(folder)) return 'virtual';
  const file = envFileOf(folder);
  const there = await workspace.fs.stat(file).then(undefined, () => undefined);
  if (!there) return 'no-file';
  if ((there.type & FileType.SymbolicLink) !== 0) return 'symbolic-link';
  if (there.type !== FileType.File) return 'not-a-file';
  if (there.size > ENV_FILE_LIMIT_BYTES) return 'too-large';
  const bytes = await workspace.fs.readFile(file).then(undefined, () => undefined);
  if (!bytes) return 'unreadable';
  const text = decodeEnvFile(bytes);
  return text === undefined ? 'not-text' : assignmentsOf(text);
}

/** Reads the `.env` of a folder for all known services. */
export async function readExternalFile(
  folder: WorkspaceFolder | null,
  known: KnownServices,
): Promise<ReadText> {
  return readText(await readEnvFile(folder), known);
}

/** The keys in the `.env` files of all folders, of which none is in use: an agent can read them. */
export async function keysOfFolders(known: KnownServices): Promise<ServiceKey[]> {
  const folders = workspace.workspaceFolders ?? [];
  const texts = await Promise.all(folders.map((folder) => readExternalFile(folder, known)));
  return texts.flatMap(keysIn);
}

/**
 * Returns every well-formed key of a text, with the account that goes with it. A key in an incomplete
 * or faulty set isn't used, but it may still be valid.
 */
function keysIn({ all }: ReadText): ServiceKey[] {
  return all.flatMap(({ service, reading }) => {
    const given = reading.named.filter(({ isGiven }) => isGiven);
    const sets = [...new Set(given.map(({ set }) => set))];
    // Programs differ in which of two lines counts: the first one or the last one.
    const orders = [given, given.toReversed()];
    const read = orders.flatMap((lines) => sets.map((set) => valuesOf(set, lines)));
    // The others have no account: a text can have thousands of keys, and a long account.
    const known = new Set(read.map(({ apiKey }) => apiKey));
    const others = given.filter(({ setting, value }) => setting === 'apiKey' && !known.has(value));
    return [
      ...read.map(({ account, apiKey = '' }) => ({ service, account, apiKey })),
      ...others.map(({ value }) => ({ service, apiKey: value })),
    ].filter(({ apiKey }) => apiKey !== '' && isWellFormed('apiKey', apiKey, service));
  });
}

/** A stored key, with the service as it was when the key was saved. */
function storedKey([word, record]: readonly [word: string, record: KeyRecord]): ServiceKey {
  const { account, apiKey, definition } = record;
  const entry = definition === undefined ? undefined : serviceIn(definition);
  // The key of an unknown service must not be sent either.
  return { service: entry ?? serviceFor(word) ?? services[0], account, apiKey };
}

/** The service that an entry of the user's own describes, if it can be read. */
function serviceIn(definition: string): Service | undefined {
  try {
    return readServices([JSON.parse(definition)]).own[0];
  } catch {
    return undefined;
  }
}

type KnownServices = Pick<Settings, 'service' | 'isServiceSet' | 'services'>;

/** A text, and what each service finds in it. */
interface ReadText {
  readonly text: ExternalText;
  /** The reading to use; undefined if the text couldn't be read. */
  readonly inUse: ServiceReading | undefined;
  readonly all: readonly ServiceReading[];
}

/**
 * Picks the service in the settings, even if its set is incomplete, so that text never goes to
 * another account. If the settings name no service, `firstReading` decides.
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
  const isOfOther = all.length > 1 && inUse.reading.named.length === 0;
  return { text: { kind: 'read', reading: inUse.reading, isOfOther }, inUse, all };
}

/** What an answer about a source depends on. */
function sourceSubject(
  id: ExternalSourceId,
  { word, definition = '' }: Service,
  { account = '', apiKey, projectId, url, resource = 'project' }: SourceValues,
  { folder, authUrl }: { readonly folder: Folder; readonly authUrl: string },
): Subject {
  const values = [account, apiKey, resource, projectId, url];
  return ['source', id, folder.uri, word, definition, authUrl, ...values];
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
