import type { InputBoxValidationMessage } from 'vscode';
import type { Settings } from '../../config/settings.ts';
import { isWellFormed, mayHoldSpaces } from '../../dotenv/settingValue.ts';
import { settingLabel, settingNames } from '../../messages/settingLabels.ts';
import { isHeaderValue } from '../../service/addedServices.ts';
import type { Credentials } from '../../service/credentials.ts';
import { addressHolds } from '../../service/masking.ts';
import { cleanValue, MAX_VALUE_LENGTH } from '../../service/pastedValue.ts';
import { Secret } from '../../service/secret.ts';
import { neededSettings, type Service } from '../../service/service.ts';
import { type Destination, parseDestination } from '../approvedDestination.ts';
import type { SourceSnapshot } from '../sourceTypes.ts';
import { ANSWER_ISSUES, answeredAddressText, removedFlawsText } from './setUpMessages.ts';

/**
 * Checks the values that the user enters during setup. Each function whose name starts with
 * `problemOf` returns a message if the value can't be used. The messages never contain the values.
 * Pure.
 */

// The values of `InputBoxValidationSeverity`, copied because importing the enum would load
// `vscode`.
const INFORMATION = 1;
const WARNING = 2;
const ERROR = 3;

/**
 * Returns the problem as an error. If there is no problem, but `cleanValue` will remove characters
 * from the text, returns a note about them.
 */
export function validationOf(
  text: string,
  problem: string | undefined,
): InputBoxValidationMessage | undefined {
  if (problem !== undefined) return { message: problem, severity: ERROR };
  const what = removedFlawsText(cleanValue(text).flaws);
  return what ? { message: what, severity: INFORMATION } : undefined;
}

/** Checks a key, but doesn't require a minimum length. */
export function problemOfKey(text: string, service: Service): string | undefined {
  if (!neededSettings(service).includes('apiKey')) return undefined;
  const { value, flaws } = cleanValue(text);
  if (flaws.includes('placeholder')) return ANSWER_ISSUES.exampleKey;
  if (value === '') return ANSWER_ISSUES.nothing;
  const what = settingNames(['apiKey'], { service });
  if (value.length > MAX_VALUE_LENGTH) return ANSWER_ISSUES.longKey(what);
  if (isWellFormed('apiKey', value, service) && !flaws.includes('non-ascii')) return undefined;
  return ANSWER_ISSUES.garbledKey(what, mayHoldSpaces(service));
}

export function problemOfHeader(text: string): string | undefined {
  if (text.trim() === '') return ANSWER_ISSUES.nothing;
  return isHeaderValue(text.trim()) ? undefined : ANSWER_ISSUES.garbledHeader;
}

export function problemOfStoredKey({ record, settings }: SourceSnapshot): string | undefined {
  return problemOfKey(record ? Secret.open(record).apiKey : '', settings.service);
}

export function problemOfAccount(label: string, text: string): string | undefined {
  const { value } = cleanValue(text);
  const isGood = value !== '' && isWellFormed('account', value);
  return isGood ? undefined : ANSWER_ISSUES.noAccount(label);
}

/** Checks a project, space, or deployment ID. */
export function problemOfProject(text: string): string | undefined {
  const { value } = cleanValue(text);
  if (value === '') return ANSWER_ISSUES.nothing;
  return isWellFormed('projectId', value) ? undefined : ANSWER_ISSUES.garbledProject;
}

/** Matches a UUID, the usual form of a project ID. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Warns about a project ID that isn't a UUID. An on-premises service may still accept such an ID.
 */
export function warningOfProject(text: string): InputBoxValidationMessage | undefined {
  return UUID.test(cleanValue(text).value)
    ? undefined
    : { message: ANSWER_ISSUES.unusualProject, severity: WARNING };
}

/**
 * Returns a message if a value contains the key, because the value may be sent to hosts that must
 * not receive the key.
 * @param values the values to check, keyed by label
 */
export function keyLeakProblem(
  values: Readonly<Record<string, string>>,
  { apiKey, service }: { readonly apiKey: string; readonly service: Service },
): string | undefined {
  for (const [what, text] of Object.entries(values)) {
    const { value } = cleanValue(text);
    const isKey = value !== '' && value === apiKey;
    if (isKey || addressHolds(value, [apiKey])) {
      return ANSWER_ISSUES.holdsKey(what, settingLabel('apiKey', { service }));
    }
  }
  return undefined;
}

/**
 * Returns the project ID, the service and identity addresses, and the model ID, keyed by label.
 * Requests contain these values, even if setup doesn't prompt for them.
 */
export function sentValues(
  given: Pick<Credentials, 'projectId' | 'resource'> & { readonly settings: Settings },
  { serviceUrl, authUrl }: Destination,
): Readonly<Record<string, string>> {
  return {
    [settingLabel('projectId', given)]: given.projectId,
    [settingLabel('url')]: serviceUrl,
    'identity service URL': authUrl,
    'model ID in the settings': given.settings.modelId,
  };
}

/**
 * Returns a message if the service URL, or the identity address used with it, is invalid; undefined
 * if both are valid.
 */
export function checkUrl(
  url: string,
  { authUrl, service }: Pick<Settings, 'authUrl' | 'service'>,
): string | undefined {
  const target = parseDestination(authUrl, url, service);
  return 'setting' in target ? answeredAddressText(target) : undefined;
}
