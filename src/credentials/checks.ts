import type { InputBoxValidationMessage } from 'vscode';
import { type Blemish, cleanValue } from '../service/credentials.ts';
import { isWellFormed } from '../service/settingValue.ts';
import { TAKEN_OFF } from '../ui/flawPhrases.ts';
import { urlProblem } from '../ui/settingMessages.ts';
import { destination } from './resolve.ts';

/** What is said about an answer while it is typed. Never repeats the answer. Pure. */

const INFORMATION = 1;
const ERROR = 3;

export function checkKey(text: string): InputBoxValidationMessage | undefined {
  const { value, blemishes } = cleanValue(text);
  if (text.trim() === '') return { message: 'Enter the API key.', severity: ERROR };
  if (blemishes.includes('placeholder')) {
    return { message: 'This is the placeholder of an example, not a key.', severity: ERROR };
  }
  if (blemishes.includes('non-ascii') || !isWellFormed('apiKey', value)) {
    return {
      message: 'A key has no blanks and no accented letters. Copy it again.',
      severity: ERROR,
    };
  }
  return takenOff(blemishes);
}

export function checkProject(text: string): InputBoxValidationMessage | undefined {
  const { value, blemishes } = cleanValue(text);
  if (value === '') return { message: 'Enter the project ID.', severity: ERROR };
  if (!isWellFormed('projectId', value)) {
    const message = 'A project ID has only letters, digits, hyphens, dots and underscores.';
    return { message, severity: ERROR };
  }
  return takenOff(blemishes);
}

/** What makes a stored key useless; undefined if nothing does. */
export function problemOfKey(key: string): string | undefined {
  return errorOf(checkKey(key));
}

/** What makes a project ID useless; undefined if nothing does. */
export function problemOfProject(id: string): string | undefined {
  return errorOf(checkProject(id));
}

/** What is wrong with a service URL, or with the identity URL it would be used with. */
export function checkUrl(url: string, authUrl: string): string | undefined {
  const target = destination(authUrl, url);
  if (!('setting' in target)) return undefined;
  const which = target.setting === 'url' ? 'This address' : 'The identity address in the settings';
  return `${which} cannot be used: ${urlProblem(target.problem)}.`;
}

function errorOf(found: InputBoxValidationMessage | undefined): string | undefined {
  return found?.severity === ERROR ? found.message : undefined;
}

function takenOff(blemishes: readonly Blemish[]): InputBoxValidationMessage | undefined {
  const parts = blemishes.flatMap((blemish) => TAKEN_OFF[blemish] ?? []);
  if (parts.length === 0) return undefined;
  return { message: `Without ${parts.join(' and ')}: taken off.`, severity: INFORMATION };
}
