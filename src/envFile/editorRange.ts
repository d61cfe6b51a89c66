import { Range } from 'vscode';
import type { LineRange } from '../dotenv/settingValue.ts';

export function editorRange({ line, start, end }: LineRange): Range {
  return new Range(line, start, line, end);
}
