import assert from 'node:assert/strict';
import { follower } from '../../../src/ui/followState.ts';

class Source {
  readonly listeners = new Set<(state: string) => void>();
  readonly state: string;

  constructor(state: string) {
    this.state = state;
  }

  onDidChange(listener: (state: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  change(state: string): void {
    for (const listener of this.listeners) listener(state);
  }
}

/** A follower of two sources, with what it has passed on. */
function start() {
  const seen: (string | undefined)[] = [];
  const [one, other] = [new Source('one'), new Source('other')];
  const follow = follower<string>((_, state) => seen.push(state));
  follow(one);
  return { seen, one, other, follow };
}

describe('a follower', () => {
  it('passes on the state of its source at once, and each change as it is announced', () => {
    const { seen, one } = start();
    one.change('announced');
    assert.deepEqual(seen, ['one', 'announced']);
  });

  it('does nothing if it follows the source already', () => {
    const { seen, one, follow } = start();
    follow(one);
    assert.deepEqual([seen, one.listeners.size], [['one'], 1]);
  });

  it('passes on no state between two sources, so that a wait for the first one has no end', () => {
    const { seen, one, other, follow } = start();
    follow(other);
    one.change('late');
    assert.deepEqual(seen, ['one', undefined, 'other']);
  });

  it('passes on no state once there is no source', () => {
    const { seen, one, follow } = start();
    follow(undefined);
    assert.deepEqual([seen, one.listeners.size], [['one', undefined], 0]);
  });
});
