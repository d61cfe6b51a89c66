import assert from 'node:assert/strict';
import { KeyStore } from '../../../src/connection/keyStore.ts';
import { SourceApprovals, type Subject } from '../../../src/connection/sourceApprovals.ts';
import { Secret } from '../../../src/service/secret.ts';
import { connectionOf, credentials } from '../service/fixtures.ts';
import { FakeKeyring, FakeState } from './fakes.ts';

const values = ['key-to-approve', 'project-1', 'https://service.example'] as const;
const approved = ['envFile', 'file:///work/a', 'ibm', 'https://identity.example', ...values];
const subject = subjectOf(...approved);

function subjectOf(...shown: readonly string[]): Subject {
  return new Secret(['source', ...shown]);
}

function approvalsOn(keyring: FakeKeyring, state: FakeState) {
  return new SourceApprovals(keyring.window(), state);
}

describe('SourceApprovals', () => {
  it('applies a decision only to the exact values that were shown', async () => {
    const approvals = approvalsOn(new FakeKeyring(), new FakeState());
    await approvals.remember(subject, 'approved');
    assert.equal(await approvals.decisionFor(subject), 'approved');
    for (const index of approved.keys()) {
      const changed = approved.with(index, `${approved[index]}x`);
      assert.equal(await approvals.decisionFor(subjectOf(...changed)), undefined, `${index}`);
    }
  });

  it('lists values that have changed since the last decision about a source', async () => {
    const approvals = approvalsOn(new FakeKeyring(), new FakeState());
    const before = ['envFile', '/a', 'ibm', '', 'auth', 'me', 'key', 'project', 'p1', 'url'];
    const changedIn = (values: readonly string[]) => approvals.changedValues(subjectOf(...values));
    assert.deepEqual(await changedIn(before), [], 'no decision yet');
    await approvals.remember(subjectOf(...before.with(6, 'old key')), 'approved');
    await approvals.remember(subjectOf(...before), 'approved');
    assert.deepEqual(await changedIn(before), []);
    assert.deepEqual(await changedIn(before.with(6, 'new key').with(9, 'new url')), [
      'apiKey',
      'url',
    ]);
    assert.deepEqual(await changedIn(before.with(1, '/b').with(6, 'new key')), [], 'other folder');
  });

  it("doesn't list changed values once the last decision is forgotten", async () => {
    const approvals = approvalsOn(new FakeKeyring(), new FakeState());
    const older = ['envFile', '/a', 'ibm', '', 'auth', 'me', 'old key', 'project', 'p1', 'url'];
    const latest = subjectOf(...older.with(6, 'key'));
    const elsewhere = older.with(1, '/b');
    for (const forget of [() => approvals.forget(latest), () => approvals.forgetApproved()]) {
      await approvals.remember(subjectOf(...elsewhere), 'declined');
      await approvals.remember(subjectOf(...older), 'declined');
      await approvals.remember(latest, 'approved');
      await forget();
      assert.deepEqual(await approvals.changedValues(latest), []);
      const changed = await approvals.changedValues(subjectOf(...elsewhere.with(6, 'key')));
      assert.deepEqual(changed, ['apiKey'], 'other folders are unaffected');
    }
  });

  it("B14: doesn't apply a decision about one folder to another folder with identical values", async () => {
    const approvals = approvalsOn(new FakeKeyring(), new FakeState());
    await approvals.remember(subject, 'approved');
    const elsewhere = approved.map((value) => value.replace('/work/a', '/work/b'));
    assert.equal(await approvals.decisionFor(subjectOf(...elsewhere)), undefined);
  });

  it('distinguishes sets of values that would be identical if concatenated', async () => {
    const approvals = approvalsOn(new FakeKeyring(), new FakeState());
    await approvals.remember(subjectOf('file:///a', 'bc'), 'approved');
    assert.equal(await approvals.decisionFor(subjectOf('file:///ab', 'c')), undefined);
  });

  it('B09: remembers across windows that the user declined a source', async () => {
    const [keyring, state] = [new FakeKeyring(), new FakeState()];
    await approvalsOn(keyring, state).remember(subject, 'declined');
    assert.equal(await approvalsOn(keyring, state).decisionFor(subject), 'declined');
    await approvalsOn(keyring, state).forget(subject);
    assert.equal(await approvalsOn(keyring, state).decisionFor(subject), undefined);
  });

  it('stores values outside secret storage only as keyed hashes', async () => {
    const [keyring, state] = [new FakeKeyring(), new FakeState()];
    await approvalsOn(keyring, state).remember(subject, 'approved');
    const kept = JSON.stringify([...state.values]);
    for (const value of approved.slice(1)) assert.equal(kept.includes(value), false);
    assert.equal(await approvalsOn(new FakeKeyring(), state).decisionFor(subject), undefined);
    const other = new FakeKeyring();
    await approvalsOn(other, new FakeState()).remember(subject, 'approved');
    assert.equal(
      await approvalsOn(other, state).decisionFor(subject),
      undefined,
      'with a different hash key',
    );
  });

  it('creates only one hash key for concurrent calls', async () => {
    const [keyring, state] = [new FakeKeyring(), new FakeState()];
    const approvals = approvalsOn(keyring, state);
    const other = subjectOf('file:///work/a', 'project-1');
    await Promise.all([approvals.decisionFor(subject), approvals.decisionFor(other)]);
    await Promise.all([
      approvals.remember(subject, 'approved'),
      approvals.decisionFor(other),
      approvals.remember(other, 'declined'),
    ]);
    assert.equal(await approvalsOn(keyring, state).decisionFor(subject), 'approved');
    assert.equal(await approvalsOn(keyring, state).decisionFor(other), 'declined');
  });

  it('drops the oldest decision if too many are stored', async () => {
    const state = new FakeState();
    const approvals = approvalsOn(new FakeKeyring(), state);
    for (let index = 0; index < 520; index += 1) {
      await approvals.remember(subjectOf('file:///a', `${index}`), 'declined');
    }
    assert.equal(await approvals.decisionFor(subjectOf('file:///a', '0')), undefined);
    assert.equal(await approvals.decisionFor(subjectOf('file:///a', '519')), 'declined');
  });

  it("doesn't store anything until the user decides", async () => {
    const [keyring, state] = [new FakeKeyring(), new FakeState()];
    const approvals = approvalsOn(keyring, state);
    await Promise.all([approvals.decisionFor(subject), approvals.forget(subject)]);
    assert.deepEqual([keyring.values.size, state.values.size], [0, 0]);
  });

  it('keeps earlier decisions while secret storage can’t be read', async () => {
    const [keyring, state] = [new FakeKeyring(), new FakeState()];
    await approvalsOn(keyring, state).remember(subject, 'declined');
    let fails = true;
    const get = async (name: string) => {
      if (fails) throw new Error('locked');
      return keyring.values.get(name);
    };
    const approvals = new SourceApprovals(keyring.window({ get }), state);
    const other = subjectOf('file:///work/a', 'project-2');
    await approvals.remember(other, 'approved');
    assert.equal(
      await approvals.decisionFor(other),
      'approved',
      'the decision applies in this window',
    );
    fails = false;
    assert.equal(await approvals.decisionFor(subject), 'declined');
  });

  it("limits decisions to one window if the hash key can't be stored", async () => {
    const [keyring, state] = [new FakeKeyring(), new FakeState()];
    const store = async () => {
      throw new Error('no keyring');
    };
    const approvals = new SourceApprovals(keyring.window({ store }), state);
    await approvals.remember(subject, 'approved');
    assert.equal(await approvals.decisionFor(subject), 'approved');
    assert.equal(await approvalsOn(keyring, state).decisionFor(subject), undefined);
  });

  it('returns a different fingerprint for each combination of key and values', async () => {
    const [keyring, state] = [new FakeKeyring(), new FakeState()];
    const connectionWith = (apiKey: string) =>
      connectionOf({ credentials: { ...credentials, apiKey } });
    const print = (...of: [string, ...string[]]) =>
      approvalsOn(keyring, state).fingerprintOf(connectionWith(of[0]), ...of.slice(1));
    const prints = [
      await print('k'),
      await print('k', 'a'),
      await print('k', 'b'),
      await print('l'),
    ];
    assert.equal(new Set(prints).size, 4);
    assert.equal(await print('k', 'a'), prints[1]);
  });

  it('forgets approvals when the user signs out, but remembers declined sources', async () => {
    const [keyring, state] = [new FakeKeyring(), new FakeState()];
    const approvals = approvalsOn(keyring, state);
    const other = subjectOf('file:///work/b', 'project-2');
    await approvals.remember(subject, 'approved');
    await approvals.remember(other, 'declined');
    await approvals.forgetApproved();
    assert.equal(await approvals.decisionFor(subject), undefined);
    assert.equal(await approvals.decisionFor(other), 'declined');
  });

  it('deletes only the approvals given before the user signed out', async () => {
    const [keyring, state] = [new FakeKeyring(), new FakeState()];
    const approvals = approvalsOn(keyring, state);
    const [later, other] = [subjectOf('file:///work/b'), subjectOf('file:///work/c')];
    await approvals.remember(subject, 'approved');
    await approvals.remember(other, 'declined');
    await approvals.forgetEnded();
    assert.equal(await approvals.decisionFor(subject), 'approved');
    await new KeyStore(keyring.window(), new FakeState(), assert.fail).delete();
    await approvals.remember(later, 'approved');
    await approvals.forgetEnded();
    assert.equal(await approvals.decisionFor(later), 'approved');
    assert.equal(await approvals.decisionFor(other), 'declined');
    assert.equal(state.get<unknown[]>('hostedModel.approvals').length, 2);
    assert.equal(approvals.hasApprovals, true);
    await new KeyStore(keyring.window(), new FakeState(), assert.fail).delete();
    await approvals.forgetEnded();
    assert.equal(approvals.hasApprovals, false);
  });

  it("doesn't delete approvals while secret storage can't be read", async () => {
    const [keyring, state] = [new FakeKeyring(), new FakeState()];
    await new KeyStore(keyring.window(), new FakeState(), assert.fail).delete();
    await approvalsOn(keyring, state).remember(subject, 'approved');
    const get = () => Promise.reject(new Error('locked'));
    await new SourceApprovals(keyring.window({ get }), state).forgetEnded();
    assert.equal(await approvalsOn(keyring, state).decisionFor(subject), 'approved');
  });

  it('forgets approvals, but remembers declined sources, after sign-out in another profile', async () => {
    const keyring = new FakeKeyring();
    const approvals = approvalsOn(keyring, new FakeState());
    const other = subjectOf('file:///work/b', 'project-2');
    for (const _ of ['first sign-out', 'second sign-out']) {
      await approvals.remember(subject, 'approved');
      await approvals.remember(other, 'declined');
      assert.equal(await approvals.decisionFor(subject), 'approved');
      await new KeyStore(keyring.window(), new FakeState(), assert.fail).delete();
      assert.equal(await approvals.decisionFor(subject), undefined);
      assert.equal(await approvals.decisionFor(other), 'declined');
    }
  });
});
