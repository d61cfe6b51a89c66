import type { ErrorDetails } from '../service/errors.ts';

/** What can be wrong with a template. Kinds and checked names; `templateMessages.ts` has the words. */

/** Where something stands: in UTF-16 units, from the start of the text it was found in. */
export interface TextSpan {
  readonly offset: number;
  readonly length: number;
}

/** What a value of the front matter or of the setting has to be. */
export type Expected = 'text' | 'texts' | 'fields';

export type TemplateFlaw =
  | { readonly kind: 'unknown-variable'; readonly name: string; readonly nearest?: string }
  | { readonly kind: 'unclosed-variable' | 'no-question' | 'no-prompt' }
  | { readonly kind: 'unclosed-front-matter' | 'bad-front-matter' | 'not-fields' }
  | { readonly kind: 'unknown-key'; readonly name: string; readonly nearest?: string }
  | { readonly kind: 'wrong-type'; readonly name: string; readonly expected: Expected }
  | {
      readonly kind: 'unknown-insert-mode';
      readonly modes: readonly string[];
      readonly nearest?: string;
    }
  | { readonly kind: 'unknown-parameter'; readonly name: string; readonly nearest: string }
  | { readonly kind: 'bad-parameter'; readonly details: ErrorDetails }
  | { readonly kind: 'bad-name' }
  | { readonly kind: 'too-large' | 'not-text' | 'not-a-file' | 'link' | 'unreadable' }
  | { readonly kind: 'too-many-files' };

export interface TemplateProblem extends TextSpan {
  readonly flaw: TemplateFlaw;
  /** With an error the template cannot be used; anything else is a warning. */
  readonly isError: boolean;
}

export function errorAt(flaw: TemplateFlaw, { offset, length }: TextSpan): TemplateProblem {
  return { flaw, isError: true, offset, length };
}

/** What concerns a template as a whole. */
export function errorOfAll(flaw: TemplateFlaw): TemplateProblem {
  return errorAt(flaw, { offset: 0, length: 0 });
}
