import assert from 'node:assert/strict';
import { FakeKeyring } from '../../unit/connection/fakes.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { type Windows, windows } from '../leaks/window.ts';
import { pathOf } from '../service/world.ts';
import { startLife } from './life.ts';

const never = new Promise<never>(() => {});

/** A keyring that can stop responding, as a real keyring does while it prompts for its password. */
class KeyringThatStops extends FakeKeyring {
  isSilent = false;

  override window() {
    return super.window({
      get: async (name) => (this.isSilent ? never : this.values.get(name)),
    });
  }
}

describe('a failed request', () => {
  let opened: Windows;
  before(() => {
    opened = windows(new SinkEditor());
  });
  after(() => opened.end());

  const falls = {
    'secret storage': (keyring: KeyringThatStops) => {
      keyring.isSilent = true;
    },
    'the folder': (_: KeyringThatStops, editor: SinkEditor) => {
      editor.beforeFiles = never;
    },
  };
  for (const [what, fallSilent] of Object.entries(falls)) {
    for (const [status, code] of [
      [400, 'any'],
      // This rejection triggers checks that also read the credentials.
      [403, 'authorization_rejected'],
    ] as const) {
      it(`with status ${status} is reported even if ${what} stops responding`, async () => {
        const keyring = new KeyringThatStops();
        const { emulator, stores, editor: newEditor } = await startLife(keyring);
        const editor = newEditor();
        let letGo = () => {};
        const hold = new Promise<void>((resolve) => {
          letGo = resolve;
        });
        const chat = pathOf('chat', true);
        emulator.faults.always(chat, { status, json: { errors: [{ code }] }, hold });
        try {
          await opened.open(editor, stores, async (run) => {
            const generated = run('generateFromSelection');
            await emulator.requestCount(chat, 1);
            fallSilent(keyring, editor);
            letGo();
            await generated;
          });
          assert.match(editor.textOf('notification'), /Show Log/);
          assert.match(editor.textOf('log'), new RegExp(`${status}`));
        } finally {
          await emulator.close();
        }
      });
    }
  }
});
