import { fixLabel, type ShownCheck, shownCheck } from '../../src/diagnose/checkMessages.ts';
import { preliminaryChecks, UNANSWERED } from '../../src/diagnose/preliminaryChecks.ts';
import type { CheckName } from '../../src/service/checks/diagnose.ts';
import type { SourceId } from '../../src/service/credentials.ts';
import { type ErrorDetails, type ErrorKind, ServiceError } from '../../src/service/errors.ts';
import {
  type Changes,
  choiceOf,
  envFile,
  environment,
  found,
  full,
  noFile,
} from './connection/sources.ts';

/**
 * Every cause that a diagnosis names, and what it says about it. The contract tests plant them one
 * at a time; the table of docs/troubleshooting.md is made of them.
 */

const authHost = 'iam.cloud.ibm.com';
const serviceHost = 'us-south.ml.cloud.ibm.com';
/** One that a user has typed. */
const ownHost = 'model.example';

const failed = (
  check: CheckName,
  kind: ErrorKind,
  details: ErrorDetails = {},
  source: SourceId = 'editor',
) => shownCheck({ check, state: 'failed', error: new ServiceError(kind, details) }, { source });
const onIdentity = (kind: ErrorKind, details: ErrorDetails = {}) =>
  failed('identity-host', kind, { host: authHost, ...details });
const onAccess = (kind: ErrorKind, details: ErrorDetails = {}) =>
  failed('access', kind, { host: serviceHost, ...details });
/** What is said before anything is sent about what was found. */
const before = (changes: Changes): ShownCheck => {
  const folder = {
    uri: 'file:///work/my-project',
    path: '/work/my-project',
    name: 'my-project',
    workspaceFolder: null,
  };
  const all = found({ folder, ...changes });
  const checks = preliminaryChecks(all, choiceOf(all));
  return checks.find(({ state }) => state === 'failed' || state === 'warning') as ShownCheck;
};
const inFile = (values: Partial<typeof full>) =>
  before({ record: undefined, external: [envFile(values), environment({})] });

export const causes = {
  'a keyring that waits for its password': UNANSWERED,
  'settings missing, no .env file': before({
    record: undefined,
    external: [noFile, environment({})],
  }),
  'a name missing in the .env file': inFile({ key: full.key, project: full.project }),
  'a name missing in the environment': before({
    record: undefined,
    external: [noFile, environment({ key: full.key })],
  }),
  'quotes in the .env file': inFile({ ...full, key: `"${full.key}"` }),
  'blanks in the .env file': inFile({ ...full, project: ` ${full.project} ` }),
  'a placeholder in the .env file': inFile({ ...full, key: '<API_KEY>' }),
  'the word Bearer in the .env file': inFile({ ...full, key: `Bearer ${full.key}` }),
  '.env file not approved': inFile(full),
  'the chosen .env file gone': before({
    external: [noFile],
    settings: { credentialSource: 'envFile' },
  }),
  'identity address that is none': before({
    record: undefined,
    settings: { authUrl: 'iam.cloud.ibm.com' },
    external: [envFile(full, 'approved')],
  }),
  'quotes in the settings': before({ settings: { projectId: '"my-project"' } }),
  'blanks inside a setting': before({ settings: { projectId: 'my project' } }),
  'spaces inside a setting of the folder': before({
    settings: { projectId: 'my project', isProjectOfFolder: true },
  }),
  'an address that is none': before({ settings: { url: 'us-south' } }),
  'hosts not approved': before({ settings: { url: 'https://eu-de.ml.cloud.ibm.com' } }),
  'host unknown': failed('service-host', 'unreachable', { code: 'ENOTFOUND', host: ownHost }),
  'host of a built-in service unknown': onIdentity('unreachable', { code: 'ENOTFOUND' }),
  'machine offline': onIdentity('offline', { code: 'ENOTFOUND' }),
  'no name server': onIdentity('unreachable', { code: 'EAI_AGAIN' }),
  'nothing answers': failed('service-host', 'unreachable', {
    code: 'ECONNREFUSED',
    host: ownHost,
  }),
  'connection cut short': onIdentity('unreachable', { code: 'ECONNRESET', phase: 'connect' }),
  'no connection in time': onIdentity('unreachable', { phase: 'connect' }),
  'no answer in time': onIdentity('timeout', { phase: 'headers' }),
  'connection broken off': onIdentity('connection-lost', { code: 'ECONNRESET' }),
  'proxy down': onIdentity('proxy', { code: 'ECONNREFUSED', proxy: 'proxy.example:3128' }),
  'proxy closes the connection': onIdentity('proxy', { code: 'UND_ERR_PRX_CONN' }),
  'proxy that cannot be used': onIdentity('proxy', { code: 'UND_ERR_INVALID_ARG' }),
  'proxy wants a login': onIdentity('proxy', { status: 407 }),
  'proxy forbids the host': onIdentity('proxy', { status: 403 }),
  'certificate not trusted': onIdentity('certificate', { code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
  'certificate not valid today': onIdentity('certificate', { code: 'CERT_HAS_EXPIRED' }),
  'certificate of another host': failed('service-host', 'certificate', {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    host: ownHost,
  }),
  'port without TLS': failed('identity-host', 'tls', {
    code: 'ERR_SSL_WRONG_VERSION_NUMBER',
    host: 'identity.example',
  }),
  'no common TLS': onIdentity('tls', { code: 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE' }),
  'certificate checks off': onIdentity('certificate-checks-off'),
  'login page of the network': failed('identity-host', 'unexpected-answer', {
    status: 200,
    host: 'identity.example',
  }),
  redirect: failed('service-host', 'redirected', { host: ownHost, redirectHost: 'login.example' }),
  'redirect by the identity service': failed(
    'token',
    'redirected',
    { host: 'identity.example', redirectHost: 'login.example' },
    'envFile',
  ),
  'redirect by a host of a built-in service': onAccess('redirected', {
    host: serviceHost,
    redirectHost: 'login.example',
  }),
  'key refused': failed('token', 'key-refused', { status: 400, code: 'BXNIM0415E' }),
  'key of the .env file refused': failed('token', 'key-refused', { status: 400 }, 'envFile'),
  'key of the environment refused': failed('token', 'key-refused', { status: 400 }, 'environment'),
  'credentials replaced meanwhile': failed('token', 'credentials-changed'),
  'too many token requests': failed('token', 'rate-limited', {
    status: 429,
    attempts: 4,
    host: authHost,
  }),
  'identity address wrong': failed('token', 'unexpected-answer', { host: authHost }),
  'clock wrong': shownCheck({
    check: 'clock',
    state: 'warning',
    facts: { clockAheadMs: 420_000 },
  }),
  'token expired': onAccess('unauthorized', { code: 'authentication_token_expired' }),
  'key of another account': onAccess('unauthorized', { code: 'authentication_token_not_valid' }),
  'token lost on the way': onAccess('unauthorized', { code: 'authentication_no_token' }),
  'refused on the way': onAccess('intercepted', { status: 403, host: ownHost }),
  'key pasted for another value': onAccess('setting-holds-secret'),
  'no rights': onAccess('forbidden', { status: 403 }),
  'project or region wrong': onAccess('project-unknown', { status: 403 }),
  'project without runtime': onAccess('project-without-runtime'),
  'quota used up': onAccess('quota-used-up', { status: 403 }),
  'too many requests': onAccess('rate-limited', { status: 429, attempts: 4 }),
  'service failing': failed('token', 'server-failed', {
    status: 503,
    attempts: 4,
    host: authHost,
  }),
  'model unknown': onAccess('model-unknown', { status: 404 }),
  'model withdrawn': onAccess('model-unknown', {
    since: '2026-09-01',
    successors: ['ibm/granite-4-h-small'],
  }),
  'operation not supported': onAccess('operation-unsupported'),
  'model that cannot be checked': shownCheck({
    check: 'access',
    state: 'warning',
    facts: { isUnchecked: true },
  }),
  'model to be withdrawn': shownCheck({
    check: 'access',
    state: 'warning',
    facts: {
      model: {
        stage: 'deprecated',
        deprecated: '2026-09-01',
        withdrawn: '2027-01-15',
        others: [],
        successors: ['ibm/granite-4-h-small'],
      },
    },
  }),
  'refused once': onAccess('refused-once', { status: 401 }),
} as const satisfies Readonly<Record<string, ShownCheck>>;

export type CauseName = keyof typeof causes;

/** A sentence without the names and codes of one case, to compare it with that of another. */
export function shapeOf({ text }: ShownCheck): string {
  return text
    .replaceAll(/\bibm\/[\w.-]*\w/g, 'MODEL')
    .replaceAll(/\b[\w-]+(\.[\w-]+)+(:\d+)?/g, 'HOST')
    .replaceAll(/\([A-Z_0-9]+\)/g, '(CODE)');
}

/** The table of docs/troubleshooting.md. */
export function causesTable(): string {
  const rows = Object.entries(causes).map(([cause, check]) => {
    const { text, fix }: ShownCheck = check;
    return `| ${cause} | ${text} | ${fix ? `*${fixLabel(fix)}*` : ''} |`;
  });
  return ['| Cause | What it says | Fix offered |', '|---|---|---|', ...rows].join('\n');
}
