import { above } from './above.ts';
import { after } from './after.ts';
import { below } from './below.ts';
import { clipboard } from './clipboard.ts';
import type { InsertMode } from './insertMode.ts';
import { newDocument } from './newDocument.ts';
import { preview } from './preview.ts';
import { replace } from './replace.ts';

/** Every way for an answer to reach the user, the default first. */
export const insertModes: readonly [InsertMode, ...InsertMode[]] = [
  below,
  after,
  above,
  replace,
  newDocument,
  clipboard,
  preview,
];

/** As settings and templates name them. */
export const insertModeIds: readonly string[] = insertModes.map(({ id }) => id);
