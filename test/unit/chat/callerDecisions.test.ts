import assert from 'node:assert/strict';
import { CallerDecisions, forgetCallers } from '../../../src/chat/callerDecisions.ts';
import { KeyStore } from '../../../src/connection/keyStore.ts';
import { SourceApprovals } from '../../../src/connection/sourceApprovals.ts';
import { Connection } from '../../../src/service/connection.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import { FakeKeyring, FakeState } from '../connection/fakes.ts';
import { connectionOf, credentials } from '../service/fixtures.ts';

const connectionWith = (changes: Partial<Credentials> = {}) =>
  connectionOf({ credentials: { ...credentials, ...changes } });
const connection = connectionWith();
const never = new AbortController().signal;

describe('CallerDecisions', () => {
  let state = new FakeState();
  let keyring = new FakeKeyring();
  let asked: string[] = [];
  let answer: () => Promise<boolean> = async () => true;
  const callers = () =>
    new CallerDecisions({
      state: state,
      ownId: 'Hosted-Model.hosted-model',
      fingerprintOf: async (one, ...shown) =>
        `print of ${[Connection.credentials(one).apiKey, ...shown]}`,
      lastSignOut: () => new SourceApprovals(keyring.window(), state).lastSignOut(),
      ask: (id) => {
        asked.push(id);
        return answer();
      },
    });
  beforeEach(() => {
    state = new FakeState();
    keyring = new FakeKeyring();
    asked = [];
    answer = async () => true;
  });

  for (const id of ['github.copilot-chat', 'core', 'hosted-model.hosted-model']) {
    it(`allows ${id} without asking the user`, async () => {
      assert.equal(await callers().mayCall(id, connection, never), true);
      assert.deepEqual(asked, []);
    });
  }

  for (const isAllowed of [true, false]) {
    it(`remembers that the user ${isAllowed ? 'approved' : 'declined'} an unknown caller`, async () => {
      answer = async () => isAllowed;
      for (const id of ['evil.foreign', '', 'evil.foreign', '']) {
        assert.equal(await callers().mayCall(id, connection, never), isAllowed);
      }
      assert.deepEqual(asked, ['evil.foreign', '']);
    });
  }

  it('asks the user only once about concurrent calls from the same extension', async () => {
    const held = Promise.withResolvers<boolean>();
    answer = () => held.promise;
    const all = callers();
    const calls = [1, 2, 3].map(() => all.mayCall('evil.foreign', connection, never));
    held.resolve(false);
    assert.deepEqual(await Promise.all(calls), [false, false, false]);
    assert.deepEqual(asked, ['evil.foreign']);
  });

  it('asks again after the API key changes or a decision is forgotten', async () => {
    const all = callers();
    await all.mayCall('a.b', connection, never);
    await all.mayCall('a.b', connectionWith({ apiKey: 'second' }), never);
    assert.equal(asked.length, 2);
    await all.forget('a.b');
    await all.mayCall('a.b', connection, never);
    assert.equal(asked.length, 3);
    await forgetCallers(state);
    assert.deepEqual(all.rows(), []);
  });

  for (const isAllowed of [true, false]) {
    it(`asks the user again after a sign-out in another profile (decision: ${isAllowed ? 'approved' : 'declined'})`, async () => {
      answer = async () => isAllowed;
      for (const count of [1, 2, 3]) {
        for (const _ of [1, 2]) await callers().mayCall('a.b', connection, never);
        assert.equal(asked.length, count);
        await new KeyStore(keyring.window(), new FakeState(), assert.fail).delete();
      }
    });
  }

  it('G16: asks the user again after the host or project changes', async () => {
    const all = callers();
    await all.mayCall('a.b', connection, never);
    const { approved } = credentials;
    for (const [index, change] of [
      { approved: { ...approved, service: 'https://another.example' } },
      { projectId: 'p-2' },
      { resource: 'space' as const },
    ].entries()) {
      const changed = connectionWith(change);
      for (const _ of [1, 2]) await all.mayCall('a.b', changed, never);
      assert.equal(asked.length, index + 2);
    }
    await all.mayCall('a.b', connection, never);
    assert.equal(asked.length, 4);
  });

  it('ignores an approval that arrives after the user signs out', async () => {
    const signedOut = new AbortController();
    const held = Promise.withResolvers<boolean>();
    answer = () => held.promise;
    const all = callers();
    const call = all.mayCall('evil.foreign', connection, signedOut.signal);
    await new Promise((resolve) => setImmediate(resolve));
    signedOut.abort();
    held.resolve(true);
    assert.equal(await call, false);
    assert.deepEqual(all.rows(), []);
  });

  it('lists each extension only once, and never stores an API key', async () => {
    const all = callers();
    await all.mayCall('a.b', connection, never);
    await all.mayCall('a.b', connectionWith({ apiKey: 'second' }), never);
    answer = async () => false;
    await all.mayCall('', connection, never);
    assert.deepEqual(all.rows(), [
      { caller: 'a.b', label: '$(extensions) a.b', description: 'allowed' },
      {
        caller: '',
        label: '$(extensions) Unidentified extension',
        description: 'not allowed',
      },
    ]);
    assert.doesNotMatch(JSON.stringify([...state.values]), /"first"|"second"/);
  });
});
