import assert from 'node:assert/strict';
import { contextOf, contextOfTest } from '../../../src/connection/messageContext.ts';
import type { ExternalSource } from '../../../src/connection/sourceTypes.ts';
import { conclusionOf } from '../../../src/diagnose/checkMessages.ts';
import { prepareDiagnosis } from '../../../src/diagnose/preliminaryChecks.ts';
import { messageFor } from '../../../src/messages/messages.ts';
import { services } from '../../../src/service/builtInServices.ts';
import { Connection } from '../../../src/service/connection.ts';
import { type ErrorDetails, type ErrorKind, ServiceError } from '../../../src/service/errors.ts';
import { ibm } from '../service/fixtures.ts';
import {
  type Changes,
  choiceOf,
  envFile,
  envFileOf,
  environment,
  found,
  full,
  noFile,
  REGION,
  record,
  unreadFile,
} from './sources.ts';

const diagnosed = (changes: Changes) => {
  const all = found(changes);
  return prepareDiagnosis(all, choiceOf(all));
};
const ofFolder = { projectId: 'project-of-the-folder', isProjectOverridden: true };

describe('the preliminary checks', () => {
  it('show that the project comes from the folder settings', () => {
    const { preliminary, connection } = diagnosed({ settings: ofFolder });
    assert.match(
      preliminary[0]?.text ?? '',
      /The project comes from the workspace or remote settings/,
    );
    assert.deepEqual(
      preliminary.map(({ state }) => state),
      ['passed', 'passed', 'passed'],
    );
    assert.equal(connection?.projectId, 'project-of-the-folder');
  });

  it('report where a malformed project ID is set, but only warn about surrounding spaces', () => {
    for (const [isProjectOverridden, place] of [
      [false, /the project ID in the user settings can’t be used/],
      [true, /the project ID in the workspace or remote settings can’t be used/],
    ] as const) {
      const settings = { projectId: 'my project', isProjectOverridden };
      const malformed = diagnosed({ settings });
      const conclusion = conclusionOf(malformed.preliminary);
      assert.match(conclusion.text, place);
      assert.deepEqual([conclusion.fix, malformed.connection], ['openSettings', undefined]);
    }
    const padded = diagnosed({ settings: { projectId: ' project-of-the-user ' } });
    assert.equal(conclusionOf(padded.preliminary).state, 'warning');
    assert.equal(padded.connection?.projectId, 'project-of-the-user');
  });

  it('name an unusable source if the editor has no key', () => {
    const misspelt = `VENDOR_APIKEY=${full.key}\nVENDOR_URL=${full.url}\n`;
    for (const [external, text, fix] of [
      [
        [envFile({ key: full.key })],
        /^The \.env file in a lacks VENDOR_PROJECT_ID and VENDOR_URL\./,
        'openEnvFile',
      ],
      [
        [envFileOf(misspelt)],
        /^The \.env file in a lacks VENDOR_API_KEY and VENDOR_PROJECT_ID\./,
        'openEnvFile',
      ],
      [[noFile, environment({ url: full.url })], /^The environment lacks VENDOR_API_KEY/, 'setUp'],
      [
        // The environment isn't used until the file is fixed, so the message is about the file.
        [envFile({ key: full.key }), environment({ ...full, key: '"quoted"' })],
        /^The \.env file in a lacks VENDOR_PROJECT_ID and VENDOR_URL\./,
        'openEnvFile',
      ],
      // The environment is complete, so the only cause that the message names is the file that
      // couldn't be read.
      [[unreadFile('symbolic-link'), environment()], /needs an API key\. .*symbolic link/, 'setUp'],
    ] as const) {
      const { preliminary } = diagnosed({ record: undefined, external });
      const conclusion = conclusionOf(preliminary);
      assert.match(conclusion.text, text);
      assert.equal(conclusion.fix, fix);
    }
  });

  it('explain how to be prompted again about a declined source', () => {
    const of = (external: ExternalSource[]) =>
      conclusionOf(diagnosed({ record: undefined, external }).preliminary).text;
    assert.match(of([envFile(full, 'declined')]), /To be asked again, .*“Forget Decision”\.$/);
    assert.doesNotMatch(of([noFile, environment({})]), /asked again/);
  });

  it('offer Set Up if a key is stored, the file was declined, or there is no file', () => {
    const incomplete = envFile({ key: full.key });
    const settings = { projectId: '' };
    for (const changes of [
      { settings, external: [incomplete] },
      { record: undefined, external: [{ ...incomplete, decision: 'declined' as const }] },
      { record: undefined, external: [noFile, environment({})] },
    ]) {
      assert.equal(conclusionOf(diagnosed(changes).preliminary).fix, 'setUp');
    }
  });

  it('show the folder name in the diagnosis list, but not in the report', () => {
    const folder = {
      uri: 'file:///work/secret-plan',
      path: '/work/secret-plan',
      name: 'secret-plan',
      workspaceFolder: null,
    };
    for (const external of [
      [envFile(full, 'approved')],
      [envFile(full)],
      [envFile({ key: 'k' })],
    ]) {
      const { preliminary, anonymous } = diagnosed({
        folder,
        record: undefined,
        external,
      });
      assert.match(JSON.stringify(preliminary), /the \.env file in secret-plan/i);
      assert.doesNotMatch(JSON.stringify(anonymous), /secret-plan/);
    }
  });

  it("show a program's path in the diagnosis list, but not in the report", () => {
    const approved = { authUrl: ibm.authUrl, authHost: '', serviceUrl: REGION, serviceHost: '' };
    const addresses = { ...approved, isUnencrypted: false };
    const { preliminary, anonymous } = prepareDiagnosis(found(), {
      ...{ kind: 'unapproved', approved: addresses, wanted: addresses, isEntryChanged: false },
      program: { approved: '', wanted: '/home/jane/bin/az' },
    });
    assert.match(preliminary[2]?.text ?? '', /would run \/home\/jane\/bin\/az\./);
    assert.match(anonymous[2]?.text ?? '', /would run a program\./);
  });
});

describe('the context of a message', () => {
  it('contains the source, service, and identity host in use', () => {
    const of = (changes: Changes) => {
      const choice = choiceOf(found(changes));
      return contextOf(choice.kind === 'ready' ? choice.connection : undefined);
    };
    const authHost = new URL(record.authUrl).host;
    const service = { service: services[0], resource: undefined, setsParameters: false };
    assert.deepEqual(of({}), { source: 'editor', authHost, ...service });
    const approved = envFile(full, 'approved');
    assert.deepEqual(of({ record: undefined, external: [approved] }), {
      source: 'envFile',
      authHost,
      ...service,
    });
    assert.deepEqual(of({ record: undefined }), {});
  });
});

describe('the message about a test that failed during setup', () => {
  const base = choiceOf(found());
  assert.ok(base.kind === 'ready');
  const credentials = {
    ...Connection.credentials(base.connection),
    authUrl: 'https://identity.example',
    serviceUrl: 'https://model.example',
  };
  const textOf = (kind: ErrorKind, details: ErrorDetails = {}) =>
    messageFor(new ServiceError(kind, details), contextOfTest(credentials))?.text ?? '';

  it("doesn't warn that the service may have processed a request", () => {
    for (const kind of ['timeout', 'connection-lost'] as const) {
      assert.doesNotMatch(textOf(kind, { host: 'model.example' }), /may have processed/);
    }
  });

  it('asks the user to correct unsaved values in setup', () => {
    const misspelt = { code: 'ENOTFOUND', host: 'model.example' };
    assert.match(textOf('unreachable', misspelt), /address in setup/);
    for (const kind of ['project-unknown', 'project-missing', 'unauthorized'] as const) {
      assert.match(textOf(kind), /in setup/);
    }
    assert.match(
      textOf('key-rejected'),
      /Copy it again or create a new one, then enter it here\.$/,
    );
  });

  it('asks the user to correct the identity address in the settings', () => {
    const misspelt = { code: 'ENOTFOUND', host: 'identity.example' };
    assert.match(textOf('unreachable', misspelt), /address in the settings/);
  });
});
