/**
 * Invisible characters, for use in a character class of a regular expression with the `v` flag.
 *
 * - Control characters, lone surrogates, and line and paragraph separators
 * - Annotation marks and the blank braille pattern
 * - Unicode's default-ignorable code points, such as direction overrides and isolates, tags,
 *   joiners, variation selectors, zero-width spaces, and fillers
 */
export const INVISIBLE = String.raw`\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2800`;

/** `INVISIBLE`, plus format, private-use, and unassigned characters. */
export const INVISIBLE_OR_UNKNOWN = String.raw`${INVISIBLE}\p{Cf}\p{Co}\p{Cn}`;
