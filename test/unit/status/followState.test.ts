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

describe('a follower', () => {
  const seen: (string | undefined)[] = [];
  const [one, other] = [new Source('one'), new Source('other')];
  const follow = follower<string>((_, state) => seen.push(state));
  const seenAfter = (act: () => void) => {
    seen.length = 0;
    act();
    return [...seen];
  };

  it('passes on the state of its source at once, and each change as it is announced', () => {
    assert.deepEqual(
      seenAfter(() => follow(one)),
      ['one'],
    );
    assert.deepEqual(
      seenAfter(() => one.change('announced')),
      ['announced'],
    );
  });

  it('does nothing if it follows the source already', () => {
    assert.deepEqual(
      seenAfter(() => follow(one)),
      [],
    );
    assert.equal(one.listeners.size, 1);
  });

  it('passes on no state between two sources, so that a wait for the first one has no end', () => {
    assert.deepEqual(
      seenAfter(() => follow(other)),
      [undefined, 'other'],
    );
    assert.deepEqual(
      seenAfter(() => one.change('late')),
      [],
    );
  });

  it('passes on no state once there is no source', () => {
    assert.deepEqual(
      seenAfter(() => follow(undefined)),
      [undefined],
    );
    assert.equal(other.listeners.size, 0);
  });
});
