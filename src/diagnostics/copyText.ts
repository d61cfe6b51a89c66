import { env, window } from 'vscode';
import { inform } from '../ui/notify.ts';

/** The last check of *Copy Diagnostics*, and what is said about it. */

const HOLDS_SECRET =
  'Hosted Model: nothing was copied, since the report held a key, a token or a project ID. Most likely the code of a failure repeats it. Reload the window, which forgets past failures, and try again.';
const NOT_ALLOWED =
  'Hosted Model: the report could not be copied. Most likely the browser does not allow it. Click into the window and try again.';

/** @param holdsSecret whether a text holds a live key or token or a project ID, in any form they travel in */
export async function copyDiagnostics(
  text: string,
  holdsSecret: (text: string) => boolean,
): Promise<void> {
  if (holdsSecret(text)) {
    void window.showErrorMessage(HOLDS_SECRET);
    return;
  }
  try {
    await env.clipboard.writeText(text);
  } catch {
    void window.showErrorMessage(NOT_ALLOWED);
    return;
  }
  inform(
    'the diagnostics are on the clipboard. They hold no key, token, project ID, text or name of a file.',
  );
}
