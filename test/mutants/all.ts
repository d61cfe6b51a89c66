import { chatMutants } from './chat.ts';
import { editorMutants } from './editor.ts';
import type { Mutant } from './mutant.ts';
import { networkMutants } from './network.ts';
import { secretMutants } from './secrets.ts';
import { tokenMutants } from './tokens.ts';

export const mutants: readonly Mutant[] = [
  ...networkMutants,
  ...tokenMutants,
  ...secretMutants,
  ...editorMutants,
  ...chatMutants,
];
