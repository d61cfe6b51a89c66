/**
 * What cannot be seen in a text, as the inside of a character class for the flag `v`: control
 * characters, lone surrogates, line and paragraph separators, annotation marks, the blank braille
 * pattern, and what Unicode calls default-ignorable: direction overrides and isolates, tags,
 * joiners, variation selectors, spaces without a width, fillers.
 */
export const INVISIBLE = String.raw`\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2800`;

/** The same, and characters without a meaning of their own: marks of format, private, unassigned. */
export const INVISIBLE_OR_UNKNOWN = String.raw`${INVISIBLE}\p{Cf}\p{Co}\p{Cn}`;
