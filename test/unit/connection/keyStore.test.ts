import assert from 'node:assert/strict';
import { KeyStore, type StorageIssue } from '../../../src/connection/keyStore.ts';
import { gate } from '../../emulator/faults.ts';
import { FakeKeyring, FakeState, settled } from './fakes.ts';

const record = {
  apiKey: 'key-of-the-store-test',
  authUrl: 'https://identity.example',
  serviceUrl: 'https://service.example',
};
const another = { ...record, apiKey: 'another-key-of-the-test' };
const fails = async () => {
  throw new Error('no keyring');
};

/** Creates a window's key store, and counts the store's changes and sign-outs. */
function openWindow(keyring: FakeKeyring, secrets = keyring.window(), state = new FakeState()) {
  const issues: StorageIssue[] = [];
  let changes = 0;
  const store = new KeyStore(secrets, state, (what) => issues.push(what));
  let signOuts = 0;
  store.onDidChange((isSignOut) => {
    if (isSignOut) signOuts += 1;
    else changes += 1;
  });
  return {
    store,
    issues,
    get changes() {
      return changes;
    },
    get signOuts() {
      return signOuts;
    },
  };
}

function keysIn({ values }: FakeKeyring): string[] {
  return [...values.keys()].filter((name) => name.startsWith('hostedModel.key'));
}

describe('KeyStore', () => {
  for (const [how, broken] of Object.entries({
    'storing fails': { store: fails },
    'storing has no effect': { store: async () => {} },
    'every operation fails': { store: fails, get: fails, keys: fails, delete: fails },
  })) {
    it(`A05: reports a failure and keeps no copy of the key if ${how}`, async () => {
      const [keyring, state] = [new FakeKeyring(), new FakeState()];
      const window = openWindow(keyring, keyring.window(broken), state);
      assert.equal(await window.store.write(record, 'ibm'), false);
      assert.equal(await window.store.write(record, 'ibm'), false);
      assert.deepEqual(window.issues, ['rejects-key', 'rejects-key']);
      assert.equal(await window.store.read('ibm'), undefined);
      assert.deepEqual(await window.store.services(), []);
      assert.equal(window.changes, 0);
      assert.deepEqual([keyring.values.size, state.values.size], [0, 0]);
    });
  }

  it("A05: keeps the stored key if a new key can't be stored", async () => {
    const [keyring, state] = [new FakeKeyring(), new FakeState()];
    await openWindow(keyring, undefined, state).store.write(record, 'ibm');
    const window = openWindow(keyring, keyring.window({ store: fails }), state);
    assert.equal(await window.store.write(another, 'ibm'), false);
    assert.deepEqual(await window.store.read('ibm'), record);
    assert.deepEqual(window.issues, ['rejects-key']);
  });

  it('A05: returns undefined if reading fails, and reports the failure only once', async () => {
    const keyring = new FakeKeyring();
    const state = new FakeState();
    await openWindow(keyring, undefined, state).store.write(record, 'ibm');
    const window = openWindow(keyring, keyring.window({ get: fails }), state);
    assert.equal(await window.store.read('ibm'), undefined);
    assert.equal(await window.store.read('ibm'), undefined);
    assert.deepEqual(window.issues, ['fails']);
  });

  it('A05: treats a key kept only in memory as missing after a restart', async () => {
    const state = new FakeState();
    await openWindow(new FakeKeyring(), undefined, state).store.write(record, 'ibm');
    const afterRestart = openWindow(new FakeKeyring(), undefined, state);
    assert.equal(await afterRestart.store.read('ibm'), undefined);
    assert.deepEqual(afterRestart.issues, []);
  });

  for (const [how, broken] of [
    ['can list the stored names', {}],
    ["can't list the stored names", { keys: fails }],
  ] as const) {
    it(`returns and deletes the keys of all services if secret storage ${how}`, async () => {
      const [keyring, state] = [new FakeKeyring(), new FakeState()];
      const { store } = openWindow(keyring, keyring.window(broken), state);
      assert.deepEqual(await store.services(), []);
      await store.write(another, 'acme');
      assert.deepEqual(await store.services(), ['acme']);
      assert.deepEqual(await store.others('ibm'), [['acme', another]]);
      await store.write(record, 'ibm');
      await store.delete();
      assert.deepEqual([keysIn(keyring), await store.services()], [[], []]);
    });
  }

  it('rereads the list of stored names only after a change', async () => {
    const keyring = new FakeKeyring();
    let lists = 0;
    const gates: Promise<void>[] = [];
    const keys = async () => {
      lists += 1;
      const names = [...keyring.values.keys()];
      await gates.pop();
      return names;
    };
    const elsewhere = openWindow(keyring);
    await elsewhere.store.write(another, 'acme');
    const { store } = openWindow(keyring, keyring.window({ keys }));
    for (let generations = 0; generations < 3; generations += 1) {
      assert.deepEqual(await store.others('ibm'), [['acme', another]]);
    }
    assert.equal(lists, 1);
    const changed = { ...another, apiKey: 'changed' };
    await elsewhere.store.write(changed, 'acme');
    assert.deepEqual([await store.others('ibm'), lists], [[['acme', changed]], 2]);
    const { promise, resolve } = Promise.withResolvers<void>();
    await elsewhere.store.write(another, 'beta');
    gates.push(promise);
    const listing = store.others('ibm');
    await elsewhere.store.write(record, 'zen');
    resolve();
    await listing;
    assert.deepEqual(await store.others('acme'), [
      ['beta', another],
      ['zen', record],
    ]);
    await elsewhere.store.delete();
    assert.deepEqual(await store.others('ibm'), []);
  });

  it('returns stored keys once secret storage works again', async () => {
    const keyring = new FakeKeyring();
    await openWindow(keyring).store.write(another, 'acme');
    const broken = new Set(['keys', 'get']);
    const { keys, get } = keyring.window();
    const secrets = keyring.window({
      keys: () => (broken.has('keys') ? fails() : keys()),
      get: (name) => (broken.has('get') ? fails() : get(name)),
    });
    const { store } = openWindow(keyring, secrets);
    for (const repaired of ['keys', 'get']) {
      assert.deepEqual(await store.others('ibm'), []);
      broken.delete(repaired);
    }
    assert.deepEqual(await store.others('ibm'), [['acme', another]]);
  });

  it("deletes the other keys even if one key can't be deleted", async () => {
    const keyring = new FakeKeyring();
    const deleteOthers = keyring.window().delete;
    const secrets = keyring.window({
      delete: (name) => (name === 'hostedModel.key.acme' ? fails() : deleteOthers(name)),
    });
    const window = openWindow(keyring, secrets);
    for (const word of ['ibm', 'acme', 'zen']) await window.store.write(record, word);
    const { changes } = window;
    await assert.rejects(window.store.delete());
    assert.deepEqual(keysIn(keyring), ['hostedModel.key.acme']);
    assert.ok(window.changes > changes, 'listeners are notified');
  });

  it("fails if a key can't be deleted", async () => {
    const keyring = new FakeKeyring();
    await openWindow(keyring).store.write(record, 'ibm');
    const window = openWindow(keyring, keyring.window({ delete: fails }));
    await assert.rejects(window.store.delete());
  });

  it('ignores a failed deletion only if the key is confirmed missing', async () => {
    const [keyring, state] = [new FakeKeyring(), new FakeState()];
    const keys = async () => ['hostedModel.key.ibm'];
    await openWindow(keyring, keyring.window({ delete: fails, keys }), state).store.delete();
    assert.equal(state.values.size, 0);
    await assert.rejects(
      openWindow(keyring, keyring.window({ delete: fails, get: fails, keys })).store.delete(),
    );
  });

  it("doesn't report a failed write if another window replaces the key", async () => {
    const keyring = new FakeKeyring();
    const store = async (name: string) => {
      keyring.values.set(name, JSON.stringify(another));
    };
    const window = openWindow(keyring, keyring.window({ store }));
    await window.store.write(record, 'ibm');
    assert.deepEqual(window.issues, []);
    assert.deepEqual(await window.store.read('ibm'), another);
  });

  for (const [what, text] of Object.entries({
    "text that isn't JSON": 'key-without-a-record',
    null: 'null',
    'a record without hosts': '{"apiKey":"key-1"}',
    'a record of another version': '{"v":9,"key":"key-1"}',
    "a key that isn't a string":
      '{"apiKey":7,"authUrl":"https://a.example","serviceUrl":"https://b.example"}',
  })) {
    it(`A06: treats ${what} as a missing key, but doesn't delete it`, async () => {
      const keyring = new FakeKeyring();
      keyring.values.set('hostedModel.key.ibm', text);
      assert.equal(await openWindow(keyring).store.read('ibm'), undefined);
      assert.equal(keyring.values.get('hostedModel.key.ibm'), text);
    });
  }

  it('notifies its own window only once per write or deletion', async () => {
    const window = openWindow(new FakeKeyring());
    await window.store.write(record, 'ibm');
    await settled();
    assert.equal(window.changes, 1);
    await window.store.delete();
    await settled();
    assert.equal(window.changes, 2);
  });

  it('notifies another window once per new key or sign-out', async () => {
    const keyring = new FakeKeyring();
    const [one, two] = [openWindow(keyring), openWindow(keyring)];
    await two.store.read('ibm');
    await one.store.write(record, 'ibm');
    await settled();
    assert.equal(two.changes, 1);
    assert.deepEqual(await two.store.read('ibm'), record);
    await one.store.write(another, 'ibm');
    await settled();
    assert.deepEqual(await two.store.read('ibm'), another);
    await one.store.delete();
    await settled();
    assert.equal(two.changes, 3);
    assert.equal(await two.store.read('ibm'), undefined);
  });

  it('A20: notifies every window of each sign-out, even if no key is stored', async () => {
    const keyring = new FakeKeyring();
    const [one, two] = [openWindow(keyring), openWindow(keyring)];
    for (const signOuts of [1, 2]) {
      await one.store.delete();
      assert.deepEqual([one.signOuts, two.signOuts], [signOuts, signOuts]);
    }
    assert.equal(two.changes, 0);
    const failing = openWindow(keyring, keyring.window({ store: fails }));
    await failing.store.delete();
    assert.equal(failing.changes, 1, 'its own window is notified even if storing fails');
  });

  it('reports a deletion only once, even if a read detects it first', async () => {
    const keyring = new FakeKeyring();
    const window = openWindow(keyring);
    await window.store.write(record, 'ibm');
    keyring.values.delete('hostedModel.key.ibm');
    assert.equal(await window.store.read('ibm'), undefined);
    assert.equal(window.changes, 2);
    keyring.announce('hostedModel.key.ibm');
    await settled();
    assert.equal(window.changes, 2);
  });

  for (const when of ['before', 'after'] as const) {
    it(`A03: returns the new key from a read that starts just ${when} the write`, async () => {
      const keyring = new FakeKeyring();
      const [answering, storing] = [gate(), gate()];
      let isSlow = false;
      const { store } = keyring.window();
      const late = async <Answer>(answer: Answer) => {
        if (isSlow) await answering.opened;
        return answer;
      };
      const window = openWindow(
        keyring,
        keyring.window({
          get: (name) => late(keyring.values.get(name)),
          keys: () => late([...keyring.values.keys()]),
          store: (name, text) => storing.opened.then(() => store(name, text)),
        }),
      );
      const listed: Promise<string[]>[] = [];
      window.store.onDidChange(() => listed.push(window.store.services()));
      assert.equal(await window.store.read('ibm'), undefined);
      isSlow = true;
      const ask = () => Promise.all([window.store.read('ibm'), window.store.services()]);
      const askedBefore = when === 'before' ? ask() : undefined;
      const written = window.store.write(record, 'ibm');
      const asked = askedBefore ?? ask();
      answering.open();
      await settled();
      assert.equal(window.changes, 0);
      storing.open();
      assert.equal(await written, true);
      assert.deepEqual(await asked, [record, ['ibm']]);
      await settled();
      assert.equal(window.changes, 1);
      assert.deepEqual(await Promise.all(listed), [['ibm']]);
    });
  }

  it('detects a key that another window stores during a write', async () => {
    const keyring = new FakeKeyring();
    const theirs = JSON.stringify(another);
    const { store } = keyring.window();
    const get = async (name: string) => {
      const text = keyring.values.get(name);
      if (text !== theirs) await store(name, theirs);
      return text;
    };
    const window = openWindow(keyring, keyring.window({ get }));
    await window.store.write(record, 'ibm');
    await settled();
    assert.equal(window.changes, 2);
    assert.deepEqual(await window.store.read('ibm'), another);
  });

  it("A17: doesn't overwrite a record that has changed since it was read", async () => {
    const keyring = new FakeKeyring();
    const [window, other] = [openWindow(keyring), openWindow(keyring)];
    const { store } = window;
    assert.equal(await store.write(record, 'ibm', { stored: undefined }), true);
    assert.equal(await store.write(another, 'ibm', { stored: undefined }), false);
    await other.store.write(another, 'ibm');
    assert.equal(await store.write(record, 'ibm', { stored: record }), false);
    assert.deepEqual(await store.read('ibm'), another);
    assert.equal(await store.write(record, 'ibm', { stored: another }), true);
    const signOut = store.delete();
    assert.equal(await store.write(record, 'ibm', { stored: record }), false);
    await signOut;
    assert.deepEqual([await store.read('ibm'), window.issues], [undefined, []]);
  });

  it('deletes a key that is still being written when the user signs out', async () => {
    const keyring = new FakeKeyring();
    const storing = gate();
    const { store } = keyring.window();
    const secrets = keyring.window({
      store: (name, text) => storing.opened.then(() => store(name, text)),
    });
    const window = openWindow(keyring, secrets);
    const ends = [window.store.write(record, 'ibm'), window.store.delete()];
    await settled();
    storing.open();
    await Promise.all(ends);
    assert.deepEqual([keysIn(keyring), await window.store.services()], [[], []]);
  });

  it('ignores events for an unchanged value', async () => {
    const keyring = new FakeKeyring();
    const window = openWindow(keyring);
    await window.store.write(record, 'ibm');
    for (let count = 0; count < 100; count += 1) keyring.announce('hostedModel.key.ibm');
    await settled();
    assert.equal(window.changes, 1);
  });

  it("doesn't read a changed key until it is requested", async () => {
    const keyring = new FakeKeyring();
    const window = openWindow(keyring);
    keyring.values.set('hostedModel.key.ibm', JSON.stringify(record));
    keyring.announce('hostedModel.key.ibm');
    await settled();
    assert.equal(window.changes, 1);
    assert.deepEqual(await window.store.services(), ['ibm']);
    assert.equal(keyring.reads, 0);
  });
});
