import { Range } from 'vscode';
import type { LineRange } from '../dotenv/settingValue.ts';

/** Positions in a `.env` document or in the `.gitignore` next to it. */

export function editorRange({ line, start, end }: LineRange): Range {
  return new Range(line, start, line, end);
}
