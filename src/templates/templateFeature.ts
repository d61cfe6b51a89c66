import { Disposable } from 'vscode';
import { insertModeIds } from '../insert/insertModes.ts';
import { registerCompletion } from './completion.ts';
import { showTemplateDiagnostics } from './templateDiagnostics.ts';

/** Problems and completion for the template files of a trusted workspace. */
export function startTemplateFiles(): Disposable {
  return Disposable.from(showTemplateDiagnostics(insertModeIds), registerCompletion(insertModeIds));
}
