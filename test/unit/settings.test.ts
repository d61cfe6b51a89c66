import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Disposable } from 'vscode';
import { FakeEditor, installEditor } from './credentials/fakeEditor.ts';

interface ChangeEvent {
  readonly affectsConfiguration: (section: string) => boolean;
}

describe('events about settings', () => {
  let hooks: ReturnType<typeof installEditor>;
  let fire: (event: ChangeEvent) => void;
  let heard: number;
  let subscription: Disposable;
  before(() => {
    class EditorWithEvents extends FakeEditor {
      override exports(): Record<string, unknown> {
        const onDidChangeConfiguration = (listener: typeof fire) => {
          fire = listener;
          return { dispose: () => {} };
        };
        const from = (...all: Disposable[]) => ({
          dispose: () => {
            for (const one of all) one.dispose();
          },
        });
        return {
          ...super.exports(),
          workspace: { onDidChangeConfiguration },
          Disposable: { from },
        };
      }
    }
    hooks = installEditor(() => new EditorWithEvents());
  });
  after(() => hooks.deregister());
  beforeEach(async () => {
    const { onDidChangeSettings } = await import('../../src/configuration.ts');
    mock.timers.enable({ apis: ['setTimeout'] });
    heard = 0;
    subscription = onDidChangeSettings(() => {
      heard += 1;
    });
  });
  afterEach(() => mock.timers.reset());
  const change = (times: number) => {
    for (let changed = 0; changed < times; changed += 1) {
      fire({ affectsConfiguration: (section) => section === 'hostedModel' });
    }
  };

  it('are heard together, a moment after the first', () => {
    change(1_000);
    mock.timers.tick(99);
    change(1_000);
    assert.equal(heard, 0);
    mock.timers.tick(1);
    assert.equal(heard, 1);
    mock.timers.tick(1_000);
    assert.equal(heard, 1);
  });

  it('are heard at most ten times a second, the last of them, too', () => {
    for (let ms = 0; ms < 1_000; ms += 1) {
      change(3);
      mock.timers.tick(1);
    }
    assert.equal(heard, 10);
    change(1);
    mock.timers.tick(100);
    assert.equal(heard, 11);
  });

  it('are nothing where the setting is of somebody else', () => {
    fire({ affectsConfiguration: () => false });
    mock.timers.tick(1_000);
    assert.equal(heard, 0);
  });

  it('are not heard once nobody listens', () => {
    change(2);
    subscription.dispose();
    mock.timers.tick(1_000);
    assert.equal(heard, 0);
  });
});
