import type { Disposable } from 'vscode';

/** Parts that are made one after the other, and go together where one of them cannot be made. */
export class Parts {
  readonly made: Disposable[] = [];
  /** Our own word for the part that was begun last. */
  latest = 'the beginning';

  /** Keeps each part as soon as it is made, since the next one can fail. */
  make<Part extends Disposable>(name: string, make: () => Part): Part {
    this.latest = name;
    const part = make();
    this.made.push(part);
    return part;
  }

  /** Disposes of all of them, also where one fails at that, too. */
  undo(): void {
    for (const part of this.made.splice(0)) {
      try {
        part.dispose();
      } catch {
        // There is nothing else that could be done about it.
      }
    }
  }
}
