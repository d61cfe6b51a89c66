import { window } from 'vscode';

/** Says something that needs no answer. */
export function inform(text: string): void {
  void window.showInformationMessage(`Hosted Model: ${text}`);
}
