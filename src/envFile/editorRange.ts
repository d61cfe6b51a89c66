import { Range } from 'vscode';
import type { LineRange } from '../dotenv/settingValue.ts';

/** Converts the range of an issue to a range in the editor. */
export function editorRange({ line, start, end }: LineRange): Range {
  return new Range(line, start, line, end);
}
