import { problemOfProject } from '../../src/credentials/checks.ts';
import { choose } from '../../src/credentials/choose.ts';
import type { CheckName } from '../../src/service/diagnose.ts';
import { type ErrorDetails, type ErrorKind, ServiceError } from '../../src/service/errors.ts';
import { shownCheck } from '../../src/ui/diagnosisMessages.ts';
import { fixLabel, type ShownCheck } from '../../src/ui/diagnosisView.ts';
import { preliminaryChecks, type SettingFlaws } from '../../src/ui/preliminaryChecks.ts';
import { type Changes, envFile, environment, found, full, noFile } from './credentials/sources.ts';

/**
 * Every cause that a diagnosis names, and what it says about it. The contract tests plant them one
 * at a time; the table of the README is made of them.
 */

const authHost = 'iam.cloud.ibm.com';
const serviceHost = 'us-south.ml.cloud.ibm.com';

const failed = (check: CheckName, kind: ErrorKind, details: ErrorDetails = {}) =>
  shownCheck({ check, state: 'failed', error: new ServiceError(kind, details) });
const onIdentity = (kind: ErrorKind, details: ErrorDetails = {}) =>
  failed('identity-host', kind, { host: authHost, ...details });
const onAccess = (kind: ErrorKind, details: ErrorDetails = {}) =>
  failed('access', kind, { host: serviceHost, ...details });
/** What is said before anything is sent about what was found. */
const before = (changes: Changes, flaws: Partial<SettingFlaws> = {}): ShownCheck => {
  const folder = { uri: 'file:///work/my-project', path: '/work/my-project', name: 'my-project' };
  const all = found({ folder, ...changes });
  const none = { blemishes: [], unusable: undefined };
  const checks = preliminaryChecks(all, choose(all), { ...none, ...flaws });
  return checks.find(({ state }) => state === 'failed' || state === 'warning') as ShownCheck;
};
const inFile = (values: Partial<typeof full>) =>
  before({ record: undefined, outside: [envFile(values), environment({})] });

export const causes = {
  'settings missing, no .env file': before({
    record: undefined,
    outside: [noFile, environment({})],
  }),
  'a name missing in the .env file': inFile({ key: full.key, project: full.project }),
  'quotes in the .env file': inFile({ ...full, key: `"${full.key}"` }),
  'blanks in the .env file': inFile({ ...full, project: ` ${full.project} ` }),
  'a placeholder in the .env file': inFile({ ...full, key: '<API_KEY>' }),
  'the word Bearer in the .env file': inFile({ ...full, key: `Bearer ${full.key}` }),
  '.env file not approved': inFile(full),
  'project of the folder not approved': before({
    settings: { folderProjectId: 'project-of-the-folder' },
  }),
  'quotes in the settings': before({}, { blemishes: [['projectId', ['quotes']]] }),
  'blanks inside a setting': before(
    {},
    { unusable: { setting: 'projectId', text: problemOfProject('my project') ?? '' } },
  ),
  'an address that is none': before({ settings: { url: 'us-south' } }),
  'hosts not approved': before({ settings: { url: 'https://eu-de.ml.cloud.ibm.com' } }),
  'host unknown': onIdentity('unreachable', { code: 'ENOTFOUND' }),
  'machine offline': onIdentity('unreachable', { code: 'EAI_AGAIN' }),
  'nothing answers': failed('service-host', 'unreachable', {
    code: 'ECONNREFUSED',
    host: serviceHost,
  }),
  'no answer in time': onIdentity('timeout', { phase: 'headers' }),
  'proxy down': onIdentity('proxy', { code: 'ECONNREFUSED', proxy: 'proxy.example:3128' }),
  'proxy wants a login': onIdentity('proxy', { status: 407 }),
  'proxy forbids the host': onIdentity('proxy', { status: 403 }),
  'certificate not trusted': onIdentity('certificate', { code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
  'certificate not valid today': onIdentity('certificate', { code: 'CERT_HAS_EXPIRED' }),
  'certificate of another host': onIdentity('certificate', {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  }),
  'port without TLS': onIdentity('certificate', { code: 'EPROTO' }),
  'certificate checks off': onIdentity('certificate-checks-off'),
  redirect: failed('service-host', 'redirected', { host: 'login.example' }),
  'key refused': failed('token', 'key-refused', { status: 400, code: 'BXNIM0415E' }),
  'identity address wrong': failed('token', 'unexpected-answer', { host: authHost }),
  'clock wrong': shownCheck({
    check: 'clock',
    state: 'warning',
    facts: { clockAheadMs: 420_000 },
  }),
  'token expired': onAccess('unauthorized', { code: 'authentication_token_expired' }),
  'key of another account': onAccess('unauthorized', { code: 'authentication_token_not_valid' }),
  'no rights': onAccess('forbidden', { status: 403 }),
  'project or region wrong': onAccess('project-unknown', { status: 403 }),
  'project without runtime': onAccess('project-without-runtime'),
  'quota used up': onAccess('quota-used-up', { status: 403 }),
  'too many requests': onAccess('rate-limited', { status: 429, attempts: 4 }),
  'service failing': failed('token', 'server-failed', { status: 503, attempts: 4 }),
  'model unknown': onAccess('model-unknown', { status: 404 }),
  'model withdrawn': onAccess('model-unknown', {
    since: '2026-09-01',
    successors: ['ibm/granite-4-h-small'],
  }),
  'model to be withdrawn': shownCheck({
    check: 'access',
    state: 'warning',
    facts: {
      model: {
        stage: 'deprecated',
        since: '2026-09-01',
        until: '2027-01-15',
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

/** The table of the README. */
export function causesTable(): string {
  const rows = Object.entries(causes).map(([cause, check]) => {
    const { text, fix }: ShownCheck = check;
    return `| ${cause} | ${text} | ${fix ? `*${fixLabel(fix)}*` : ''} |`;
  });
  return ['| Cause | What it says | Fix offered |', '|---|---|---|', ...rows].join('\n');
}
