import type { InputBoxValidationMessage } from 'vscode';
import { isWellFormed, SHORTEST_KEY } from '../dotenv/settingValue.ts';
import { cleanValue } from '../service/credentials.ts';

import { takenOffText, urlProblem } from './sentences.ts';
import { destination } from './sourceSelection.ts';

/** What is said about an answer while it is typed. Never repeats the answer. Pure. */

const INFORMATION = 1;
const ERROR = 3;

export function checkKey(text: string): InputBoxValidationMessage | undefined {
  return validationOf(text, problemOfNewKey(text));
}

export function checkProject(text: string): InputBoxValidationMessage | undefined {
  return validationOf(text, problemOfProject(text));
}

/** What is wrong, or else what is taken off. */
function validationOf(
  text: string,
  problem: string | undefined,
): InputBoxValidationMessage | undefined {
  if (problem !== undefined) return { message: problem, severity: ERROR };
  const what = takenOffText(cleanValue(text).blemishes);
  return what ? { message: `Without ${what}: taken off.`, severity: INFORMATION } : undefined;
}

/** Why a key is not taken; undefined if it is. */
export function problemOfNewKey(text: string): string | undefined {
  const isShort = cleanValue(text).value.length < SHORTEST_KEY;
  const tooShort = `This has fewer than ${SHORTEST_KEY} characters, and no key is that short. Most likely a part is missing. Copy it again.`;
  return problemOfKey(text) ?? (isShort ? tooShort : undefined);
}

/** What makes a stored key useless; undefined if nothing does. An earlier version stored short ones. */
export function problemOfKey(text: string): string | undefined {
  const { value, blemishes } = cleanValue(text);
  if (text.trim() === '') return 'Enter the API key.';
  if (blemishes.includes('placeholder')) return 'This is the placeholder of an example, not a key.';
  const isShort = value.length < SHORTEST_KEY;
  const isGarbled = blemishes.includes('non-ascii') || !(isShort || isWellFormed('apiKey', value));
  return isGarbled ? 'A key has no blanks and no accented letters. Copy it again.' : undefined;
}

/** What makes a project ID useless; undefined if nothing does. */
export function problemOfProject(text: string): string | undefined {
  const { value } = cleanValue(text);
  if (value === '') return 'Enter the project ID.';
  return isWellFormed('projectId', value)
    ? undefined
    : 'A project ID has only letters, digits, hyphens, dots and underscores.';
}

/** What is wrong with a service URL, or with the identity URL it would be used with. */
export function checkUrl(url: string, authUrl: string): string | undefined {
  const target = destination(authUrl, url);
  if (!('setting' in target)) return undefined;
  const which = target.setting === 'url' ? 'This address' : 'The identity address in the settings';
  return `${which} cannot be used: ${urlProblem(target.problem)}.`;
}
