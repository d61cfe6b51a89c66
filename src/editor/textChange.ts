import type { TextChange } from './ownText.ts';

/** Whether nothing stands between the places of two changes. */
export function doTouch(one: TextChange, other: TextChange): boolean {
  return (
    one.rangeOffset <= other.rangeOffset + other.rangeLength &&
    other.rangeOffset <= one.rangeOffset + one.rangeLength
  );
}

export function isSame(change: TextChange, expected: TextChange): boolean {
  return (
    change.rangeOffset === expected.rangeOffset &&
    change.rangeLength === expected.rangeLength &&
    change.text === expected.text
  );
}
