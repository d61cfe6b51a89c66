import { fixLabel, type ShownCheck, shownCheck } from '../../src/diagnose/checkMessages.ts';
import { preliminaryChecks, UNANSWERED } from '../../src/diagnose/preliminaryChecks.ts';
import type { CheckName } from '../../src/service/checks/connectionChecks.ts';
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
 * Every cause that a diagnosis can show, with its message. The table in docs/troubleshooting.md is
 * generated from this list.
 */

const authHost = 'iam.cloud.ibm.com';
const serviceHost = 'us-south.ml.cloud.ibm.com';
/** A user-entered host that no built-in service uses. */
const ownHost = 'model.example';

const failed = (
  check: CheckName,
  kind: ErrorKind,
  details: ErrorDetails = {},
  source: SourceId = 'editor',
) => shownCheck({ check, state: 'failed', error: new ServiceError(kind, details) }, { source });
/**
 * A failure of the connection to the identity service. An error status from the identity service
 * fails the token check instead, except for a 407.
 */
const onIdentity = (kind: ErrorKind, details: ErrorDetails = {}) =>
  failed('identity-host', kind, { host: authHost, ...details });
const onAccess = (kind: ErrorKind, details: ErrorDetails = {}) =>
  failed('access', kind, { host: serviceHost, ...details });
/**
 * Applies these changes to the test sources, and returns the first preliminary check that fails or
 * warns.
 */
const firstProblem = (changes: Changes): ShownCheck => {
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
  firstProblem({ record: undefined, external: [envFile(values), environment({})] });

/**
 * The causes, with similar ones next to each other. Most of them are reproduced in
 * `test/contract/service/diagnoseCauses.test.ts`, so add each new cause there, too.
 */
export const causes = {
  'keyring waiting for its password': UNANSWERED,
  'missing settings and no .env file': firstProblem({
    record: undefined,
    external: [noFile, environment({})],
  }),
  'missing setting in the .env file': inFile({ key: full.key, project: full.project }),
  'missing setting in the environment': firstProblem({
    record: undefined,
    external: [noFile, environment({ key: full.key })],
  }),
  'quotes in the .env file': inFile({ ...full, key: `"${full.key}"` }),
  'spaces in the .env file': inFile({ ...full, project: ` ${full.project} ` }),
  'placeholder in the .env file': inFile({ ...full, key: '<API_KEY>' }),
  'the word Bearer in the .env file': inFile({ ...full, key: `Bearer ${full.key}` }),
  '.env file not approved': inFile(full),
  'selected .env file missing': firstProblem({
    external: [noFile],
    settings: { credentialSource: 'envFile' },
  }),
  'invalid source in the settings': firstProblem({ settings: { credentialSource: 'invalid' } }),
  'invalid identity service URL': firstProblem({
    record: undefined,
    settings: { authUrl: 'iam.cloud.ibm.com' },
    external: [envFile(full, 'approved')],
  }),
  'quotes in the settings': firstProblem({ settings: { projectId: '"my-project"' } }),
  'spaces inside a setting': firstProblem({ settings: { projectId: 'my project' } }),
  'spaces inside a workspace or remote setting': firstProblem({
    settings: { projectId: 'my project', isProjectOverridden: true },
  }),
  'invalid service URL': firstProblem({ settings: { url: 'us-south' } }),
  'hosts not approved': firstProblem({ settings: { url: 'https://eu-de.ml.cloud.ibm.com' } }),
  'unknown host': failed('service-host', 'unreachable', { code: 'ENOTFOUND', host: ownHost }),
  'unknown host of a built-in service': onIdentity('unreachable', { code: 'ENOTFOUND' }),
  'machine offline': onIdentity('offline', { code: 'ENOTFOUND' }),
  'unreachable DNS server': onIdentity('unreachable', { code: 'EAI_AGAIN' }),
  'connection refused': failed('service-host', 'unreachable', {
    code: 'ECONNREFUSED',
    host: ownHost,
  }),
  'connection reset': onIdentity('unreachable', { code: 'ECONNRESET', phase: 'connect' }),
  'connection timeout': onIdentity('unreachable', { phase: 'connect' }),
  'response timeout': onIdentity('timeout', { phase: 'start' }),
  'connection lost': onIdentity('connection-lost', { code: 'ECONNRESET' }),
  'unreachable proxy': onIdentity('proxy', { code: 'ECONNREFUSED', proxy: 'proxy.example:3128' }),
  'connection closed by the proxy': onIdentity('proxy', { code: 'UND_ERR_PRX_CONN' }),
  'unsupported proxy type': onIdentity('proxy', { code: 'UND_ERR_INVALID_ARG' }),
  'proxy authentication required': onIdentity('proxy', { status: 407 }),
  'host blocked by the proxy': onIdentity('proxy', { status: 403 }),
  'untrusted certificate': onIdentity('certificate', { code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
  'expired certificate or wrong clock': onIdentity('certificate', { code: 'CERT_HAS_EXPIRED' }),
  'certificate for a different host': failed('service-host', 'certificate', {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    host: ownHost,
  }),
  'port without TLS': failed('identity-host', 'tls', {
    code: 'ERR_SSL_WRONG_VERSION_NUMBER',
    host: 'identity.example',
  }),
  'failed TLS handshake': onIdentity('tls', { code: 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE' }),
  'certificate checks turned off': onIdentity('certificate-checks-off'),
  'network login page': failed('identity-host', 'unexpected-answer', {
    status: 200,
    host: 'identity.example',
  }),
  'redirect from an added service': failed('service-host', 'redirected', {
    host: ownHost,
    redirectHost: 'login.example',
  }),
  'redirect from the identity service': failed(
    'token',
    'redirected',
    { host: 'identity.example', redirectHost: 'login.example' },
    'envFile',
  ),
  'redirect from a built-in service': onAccess('redirected', {
    host: serviceHost,
    redirectHost: 'login.example',
  }),
  'rejected key': failed('token', 'key-rejected', { status: 400, code: 'BXNIM0415E' }),
  'rejected key from the .env file': failed('token', 'key-rejected', { status: 400 }, 'envFile'),
  'rejected key from the environment': failed(
    'token',
    'key-rejected',
    { status: 400 },
    'environment',
  ),
  'credentials changed during the checks': failed('token', 'credentials-changed'),
  'too many token requests': failed('token', 'rate-limited', {
    status: 429,
    attempts: 4,
    host: authHost,
  }),
  'wrong identity service URL': failed('token', 'unexpected-answer', { host: authHost }),
  'wrong clock': shownCheck({
    check: 'clock',
    state: 'warning',
    facts: { clockAheadMs: 420_000 },
  }),
  'expired token': onAccess('unauthorized', { code: 'authentication_token_expired' }),
  'key from a different account': onAccess('unauthorized', {
    code: 'authentication_token_not_valid',
  }),
  'token removed by a proxy or gateway': onAccess('unauthorized', {
    code: 'authentication_no_token',
  }),
  'request rejected by a firewall or gateway': onAccess('intercepted', {
    status: 403,
    host: ownHost,
  }),
  'key pasted into the wrong field': onAccess('setting-holds-secret'),
  'missing permissions': onAccess('forbidden', { status: 403 }),
  'wrong project or region': onAccess('project-unknown', { status: 403 }),
  'project without a runtime': onAccess('project-without-runtime'),
  'quota used up': onAccess('quota-used-up', { status: 403 }),
  'too many requests': onAccess('rate-limited', { status: 429, attempts: 4 }),
  'pause requested by the service': shownCheck({
    check: 'request-limit',
    state: 'warning',
    facts: { isPaused: true },
  }),
  'server error': failed('token', 'server-failed', {
    status: 503,
    attempts: 4,
    host: authHost,
  }),
  'unknown model': onAccess('model-unknown', { status: 404 }),
  'withdrawn model': onAccess('model-unknown', {
    since: '2026-09-01',
    successors: ['ibm/granite-4-h-small'],
  }),
  'unsupported operation': onAccess('operation-unsupported'),
  'model without support for test requests': shownCheck({
    check: 'access',
    state: 'warning',
    facts: { isUnchecked: true },
  }),
  'model that will be withdrawn': shownCheck({
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
  'token rejected once': onAccess('rejected-once', { status: 401 }),
} as const satisfies Readonly<Record<string, ShownCheck>>;

/**
 * The error kinds without a cause. Checks rarely or never fail with these kinds. When in doubt
 * about a new kind, treat it like the most similar kind.
 */
export const kindsWithoutCause: readonly ErrorKind[] = [
  'host-not-approved',
  'parameter-rejected',
  'prompt-holds-secret',
  'queue-full',
  'settings-not-written',
  'token-request-rejected',
  'token-unusable',
  'command-failed',
  'project-missing',
  'no-model-list',
  'prompt-too-long',
  'bad-request',
  'headers-too-large',
  'capacity-full',
  'too-large',
  'incomplete',
  'cancelled',
];

export type CauseName = keyof typeof causes;

/**
 * Replaces the models, hosts, and codes in a message with placeholders so that messages can be
 * compared. Other values that vary between the tests must be replaced, too.
 */
export function shapeOf({ text }: ShownCheck): string {
  return text
    .replaceAll(/\bibm\/[\w.-]*\w/g, 'MODEL')
    .replaceAll(/\b[\w-]+(\.[\w-]+)+(:\d+)?/g, 'HOST')
    .replaceAll(/\([A-Z_0-9]+\)/g, '(CODE)');
}

/** Generates the table of causes in docs/troubleshooting.md. */
export function causesTable(): string {
  const rows = Object.entries(causes).map(([cause, check]) => {
    const { text, fix }: ShownCheck = check;
    return `| ${cause} | ${text} | ${fix ? `*${fixLabel(fix)}*` : ''} |`;
  });
  return ['| Cause | Message | Fix |', '|---|---|---|', ...rows].join('\n');
}
