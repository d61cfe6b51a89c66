import type { Stretch, TextChange } from './ownText.ts';

/** What one change took away of a text. Offsets count from where the change began. */
export interface Loss {
  /** Of all that the change took away. */
  readonly length: number;
  /** What of it belonged to the text. */
  readonly pieces: readonly Stretch[];
  /** What of it others had typed inside the text. */
  readonly typed: readonly Stretch[];
  /** The text's own range before the change. */
  readonly range: Stretch;
  /** Whether the change broke the text. */
  readonly isBreak: boolean;
  /** Whether it reached over an end of the range, which only its undoing tells again. */
  readonly isAcross: boolean;
}

interface Placed extends Loss {
  /** What stands there since, in the document as it is now. */
  readonly place: Stretch;
  /** What earlier changes had taken away from there; comes back with what this one took. */
  readonly earlier: readonly Placed[];
}

/** Remembers what changes took away, since an undo or redo can bring it back. */
export class Losses {
  #losses: readonly Placed[] = [];

  /** @returns what this undo or redo brings back, and no other one can bring back again */
  recover(change: TextChange): Loss | undefined {
    const { rangeOffset, rangeLength, text } = change;
    const found = this.#losses.findLast(
      ({ place, length }) =>
        place.start === rangeOffset &&
        place.end - place.start === rangeLength &&
        length === text.length,
    );
    if (!found) return undefined;
    this.#losses = this.#losses.filter((loss) => loss !== found);
    this.follow(change);
    this.#losses = [...this.#losses, ...found.earlier.map((loss) => moved(loss, rangeOffset))];
    return found;
  }

  /** Follows a change. @param loss what it took away */
  follow({ rangeOffset, rangeLength, text }: TextChange, loss?: Loss): void {
    const losses: Placed[] = [];
    const earlier: Placed[] = [];
    for (const each of this.#losses) {
      const { start, end } = each.place;
      // What touches it must be undone first.
      if (rangeOffset + rangeLength < start) losses.push(moved(each, text.length - rangeLength));
      else if (rangeOffset > end) losses.push(each);
      else earlier.push(moved(each, -rangeOffset));
    }
    if (loss && (loss.isBreak || loss.isAcross || loss.pieces.length + earlier.length > 0)) {
      const place = { start: rangeOffset, end: rangeOffset + text.length };
      losses.push({ ...loss, place, earlier });
    }
    this.#losses = losses;
  }
}

function moved(loss: Placed, by: number): Placed {
  const { start, end } = loss.place;
  return { ...loss, place: { start: start + by, end: end + by } };
}
