import { parseDestination } from '../../../src/connection/approvedDestination.ts';
import type { KeyRecord } from '../../../src/connection/keyStore.ts';
import { type Choice, choose } from '../../../src/connection/sourceSelection.ts';
import type {
  ExternalSource,
  SourceSnapshot,
  UnreadReason,
} from '../../../src/connection/sourceTypes.ts';
import { publicReading, type SourceReading } from '../../../src/dotenv/sourceReading.ts';
import { services } from '../../../src/service/builtInServices.ts';
import type { ServiceKey } from '../../../src/service/credentials.ts';
import { Secret } from '../../../src/service/secret.ts';
import { readEnvFile, readEnvironment } from '../dotenv/reading.ts';
import { connectionOf, ibm } from '../service/fixtures.ts';

/** Test data for the three sources of credentials. */

export const REGION = 'https://us-south.ml.cloud.ibm.com';
export const EVIL = 'https://evil.example';
export const record = { apiKey: 'key-of-the-editor', authUrl: ibm.authUrl, serviceUrl: REGION };
export const full = { key: 'key-outside', project: 'project-outside', url: EVIL };

export function envFile(
  values: Partial<typeof full> = full,
  answer?: ExternalSource['decision'],
): ExternalSource {
  return envFileOf(lines(values), answer);
}

export function envFileOf(text: string, answer?: ExternalSource['decision']): ExternalSource {
  return sourceOf('envFile', readEnvFile(text, ibm), answer);
}

export function environment(
  values: Partial<typeof full> = full,
  answer?: ExternalSource['decision'],
): ExternalSource {
  const variables = Object.fromEntries(
    lines(values)
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('=')),
  );
  return sourceOf('environment', readEnvironment(variables, ibm), answer);
}

function sourceOf(
  id: ExternalSource['id'],
  reading: SourceReading,
  decision: ExternalSource['decision'],
): ExternalSource {
  const { values } = reading;
  const target = values && parseDestination(ibm.authUrl, values.url, ibm);
  const text = { kind: 'read', reading: publicReading(reading) } as const;
  return { id, text, values: values && new Secret(values), destination: target, decision };
}

export const noFile = unreadFile('no-file');

export function unreadFile(why: UnreadReason): ExternalSource {
  return { id: 'envFile', text: { kind: 'unread', why }, decision: undefined };
}

function lines({ key, project, url }: Partial<typeof full>): string {
  return [
    key === undefined ? '' : `VENDOR_API_KEY=${key}\n`,
    project === undefined ? '' : `VENDOR_PROJECT_ID=${project}\n`,
    url === undefined ? '' : `VENDOR_URL=${url}\n`,
  ].join('');
}

export type Changes = Partial<Pick<SourceSnapshot, 'folder' | 'external'>> & {
  settings?: Partial<SourceSnapshot['settings']>;
  record?: KeyRecord | undefined;
  keys?: readonly ServiceKey[];
};

export function found(changes: Changes = {}): SourceSnapshot {
  const { authUrl = ibm.authUrl } = changes.settings ?? {};
  const { external = [] } = changes;
  const known = { record, ...changes };
  return {
    others: [],
    folder: { uri: 'file:///work/a', path: '/work/a', name: 'a', workspaceFolder: null },
    ...known,
    record: known.record && new Secret(known.record),
    keys: new Secret([
      ...[known.record, ...external.map(valuesOf)].flatMap((one) =>
        one ? { service: ibm, apiKey: one.apiKey } : [],
      ),
      ...(changes.keys ?? []),
    ]),
    external: external.map((one) => {
      const values = valuesOf(one);
      return values
        ? { service: ibm, ...one, destination: parseDestination(authUrl, values.url, ibm) }
        : one;
    }),
    settings: {
      service: ibm,
      isServiceSet: false,
      services,
      authUrl: ibm.authUrl,
      url: REGION,
      projectId: 'project-of-the-user',
      isProjectOverridden: false,
      credentialSource: 'auto',
      modelId: ibm.defaultModelId,
      operation: 'chat',
      parameters: {},
      insertMode: 'below',
      limits: { limit: 3, queue: 50, minIntervalMs: 0 },
      offersTool: false,
      dailyTokenBudget: 0,
      templates: { user: [], remote: [], workspace: [], folder: [] },
      ...changes.settings,
    },
  };
}

function valuesOf({ values }: ExternalSource) {
  return values && Secret.open(values);
}

/** Returns the connection from these sources, or the reason why there is none. */
export function choiceOf(all: SourceSnapshot): Choice {
  const selection = choose(all);
  if (selection.kind !== 'ready') return selection;
  const { source, credentials } = selection;
  return { kind: 'ready', connection: connectionOf({ source, credentials }) };
}
