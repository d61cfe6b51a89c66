import type { Action } from '../messages/actions.ts';
import type * as messages from '../messages/messages.ts';
import { IDENTITY_CODE, isKnownCode, type ServiceError, TOKEN_EXPIRED } from '../service/errors.ts';
import type * as service from '../service/serviceRuntime.ts';
import { EXPLAIN_TEXTS, TOKEN_TEXTS } from './skillMessages.ts';

/**
 * Which failure pasted error details tell of, and what is said of it. Products wrap an answer in
 * texts of their own, cut it and escape it, so that it is looked for by its words and not read as
 * JSON; what it means then, the rules for our own requests say. Pure: nothing of the text leaves
 * this file.
 */

/** What our own requests are judged by, and what is said of them then; see `handlers.ts`. */
export type FailureParsers = Pick<typeof service, 'identityFailure' | 'inferenceFailure'> &
  Pick<typeof messages, 'messageFor'>;

/** What pasted details mean, and the command that mends it where there is one. */
export interface Explanation {
  readonly text: string;
  readonly fix?: Action | 'exportSkill' | undefined;
}

/** Ways out that only the request itself has: it was somebody else's. */
const NOT_HERE: ReadonlySet<Action> = new Set<Action>(['retry', 'refreshToken', 'openEnvFile']);

/** Characters; details of an error are a few hundred. */
export const MOST_READ = 65_536;

const WORDS = /[a-z]\w{7,63}/gi;
const IDENTITY_SHAPE = /\berrorCode\b/;
/** Service and gateway name an error in their own ways; quotes may be escaped. */
const OWN_SHAPE = /\berrors?[\\"']{0,4} ?: ?[[{]|"code" ?: ?4\d\d\b/;
const EXPIRED =
  /(?:token|jwt|bearer)[\W_]{1,3}(?:(?:has|had|is|was|already|been) ){0,2}expired|(?<!not )\bexpired[ _-](?:\w{1,12} )?(?:token|jwt|bearer)\b/i;

/** From the surest sign of a status on: numbers stand in such texts for other things, too. */
const STATUSES: readonly RegExp[] = [
  /status_?code\W{1,5}(?<status>[45]\d\d)\b/i,
  /\b(?<status>[45]\d\d)\W{1,3}(?:unauthori|forbidden|not |too many|bad |internal|service|gateway|proxy|request)/i,
  /\b(?:status|http(?:\/\d(?:\.\d)?)?|code|error)\W{1,5}(?<status>[45]\d\d)\b/i,
  /^\W{0,3}(?<status>[45]\d\d)\b/,
];

const PHRASES: readonly (readonly [phrase: RegExp, status: number])[] = [
  [/too many requests/i, 429],
  [/unauthori[sz]ed/i, 401],
  [/forbidden/i, 403],
];

/** @returns undefined where nothing in it is known; `unauthorized` without a code for a bare 401 */
export function failureIn(pasted: string, rules: FailureParsers): ServiceError | undefined {
  // An escaped line break would become the first letter of the word behind it.
  const text = pasted.slice(0, MOST_READ).replaceAll(/\\[nrt]/g, ' ');
  const inIdentity = (errorCode: string, given: number) =>
    rules.identityFailure({ status: given, text: JSON.stringify({ errorCode, errorMessage: '' }) });
  // The message tells some causes of one code apart.
  const inInference = (code: string, given: number) => {
    const errors = [{ code, message: text }];
    return rules.inferenceFailure({ status: given, text: JSON.stringify({ errors }) });
  };
  const status = statusIn(text);
  const identityCode = IDENTITY_CODE.exec(text)?.[0];
  if (identityCode) return inIdentity(identityCode, 400);
  const code = text.match(WORDS)?.find(isKnownCode);
  if (code) return inInference(code, status ?? 400);
  if (EXPIRED.test(text)) return inInference(TOKEN_EXPIRED, 401);
  if (status === undefined) return undefined;
  if (IDENTITY_SHAPE.test(text)) return inIdentity('', status);
  // Without its code nobody can tell whose answer a 401 is.
  const isOwn = status === 401 || OWN_SHAPE.test(text);
  return isOwn ? inInference('', status) : rules.inferenceFailure({ status, text: '' });
}

function statusIn(text: string): number | undefined {
  for (const sign of STATUSES) {
    const status = sign.exec(text)?.groups?.['status'];
    if (status) return Number(status);
  }
  return PHRASES.find(([phrase]) => phrase.test(text))?.[1];
}

/** @returns undefined where nothing in the text is known */
export function explanationOf(pasted: string, rules: FailureParsers): Explanation | undefined {
  const failure = failureIn(pasted, rules);
  if (!failure) return undefined;
  const { code = '' } = failure.details;
  if (failure.kind === 'unauthorized') {
    const text = TOKEN_TEXTS[code];
    if (text) return { text, fix: code === TOKEN_EXPIRED ? 'exportSkill' : undefined };
    return { text: EXPLAIN_TEXTS.unauthorized, fix: 'diagnose' };
  }
  const { text = '', actions = [] } = rules.messageFor(failure) ?? {};
  return { text: EXPLAIN_TEXTS.known(text), fix: actions.find((one) => !NOT_HERE.has(one)) };
}
