import fc from 'fast-check';

/**
 * Generates text, and the same text split into chunks at random places, even in the middle of a
 * character.
 */
export function cutText(units: readonly string[]): fc.Arbitrary<[text: string, pieces: string[]]> {
  const unit = fc.constantFrom(...units);
  return fc
    .tuple(fc.string({ unit, maxLength: 40 }), fc.array(fc.nat(80), { maxLength: 12 }))
    .map(([text, cuts]) => {
      const at = [...cuts.filter((cut) => cut < text.length), text.length].sort((a, b) => a - b);
      return [text, at.map((end, index) => text.slice(at[index - 1] ?? 0, end))];
    });
}

/** Passes these chunks through a stage, and returns all text from `add` and `end`. */
export function run(
  stage: { add(piece: string): string; end(): string },
  pieces: Iterable<string>,
): string {
  let text = '';
  for (const piece of pieces) text += stage.add(piece);
  return text + stage.end();
}
