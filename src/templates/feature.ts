import { Disposable } from 'vscode';
import { insertModes } from '../editor/modes/insertModes.ts';
import { registerCompletion } from './completion.ts';
import { showTemplateDiagnostics } from './diagnostics.ts';

/** Problems and completion for the template files of a trusted workspace. */
export function startTemplateFiles(): Disposable {
  const modes = insertModes.map(({ id }) => id);
  return Disposable.from(showTemplateDiagnostics(modes), registerCompletion(modes));
}
