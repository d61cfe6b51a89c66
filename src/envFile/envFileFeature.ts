import { Disposable } from 'vscode';
import { EnvFileDiagnostics } from './envFileDiagnostics.ts';
import { registerQuickFixes } from './quickFixes.ts';

/** Problems and quick fixes for the `.env` files at the roots of a trusted workspace. */
export function startEnvFile(): Disposable {
  const diagnostics = new EnvFileDiagnostics();
  return Disposable.from(diagnostics, registerQuickFixes(diagnostics));
}
