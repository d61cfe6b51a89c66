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

/**
 * Creates two sources and a follower of the first source. Records every state that the follower
 * reports.
 */
function start() {
  const seen: (string | undefined)[] = [];
  const [one, other] = [new Source('one'), new Source('other')];
  const follow = follower<string>((_, state) => seen.push(state));
  follow(one);
  return { seen, one, other, follow };
}

describe('a follower', () => {
  it('reports the current state of its source, and then each change', () => {
    const { seen, one } = start();
    one.change('announced');
    assert.deepEqual(seen, ['one', 'announced']);
  });

  it('ignores a request to follow its current source', () => {
    const { seen, one, follow } = start();
    follow(one);
    assert.deepEqual([seen, one.listeners.size], [['one'], 1]);
  });

  it("reports `undefined` before a new source's state", () => {
    const { seen, one, other, follow } = start();
    follow(other);
    one.change('late');
    assert.deepEqual(seen, ['one', undefined, 'other']);
  });

  it('reports `undefined` when there is no longer a source to follow', () => {
    const { seen, one, follow } = start();
    follow(undefined);
    assert.deepEqual([seen, one.listeners.size], [['one', undefined], 0]);
  });
});
