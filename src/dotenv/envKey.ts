import { parseServiceUrl } from '../service/credentials.ts';
import { nameSets, type Vendor } from '../service/vendors.ts';
import { readAssignments } from './envFile.ts';
import { type Assignment, assignmentsOf, LINE_END } from './envText.ts';
import {
  type GivenValues,
  type RecognisedSetting,
  recognisedSettings,
  valuesOf,
} from './settingValue.ts';

/** The API key in a `.env` text that is about to move elsewhere, and what stands with it. */

export type FoundKey = GivenValues & { readonly apiKey: string };

/**
 * The key of the set that is used, or else the first one that can be a key, whatever is missing
 * beside it. Values come without what does not belong to them.
 */
export function findKey(assignments: readonly Assignment[], vendor: Vendor): FoundKey | undefined {
  const { values } = readAssignments(assignments, vendor);
  if (values) return values;
  const sets = nameSets(vendor);
  const usable = recognisedSettings(assignments, vendor, sets).filter(isUsable);
  for (const set of sets) {
    const { apiKey, ...others } = valuesOf(set, usable);
    if (apiKey !== undefined) return { apiKey, ...others };
  }
  return undefined;
}

/** The lines that hold this key, by whatever name; another key stays where it is. */
export function linesOfKey(text: string, apiKey: string, vendor: Vendor): number[] {
  return recognisedSettings(assignmentsOf(text), vendor).flatMap(
    ({ setting, value, assignment }) =>
      setting === 'apiKey' && value === apiKey ? (assignment.at?.line ?? []) : [],
  );
}

/** Every line in which this key stands, be it in a comment or by the name of another program. */
export function linesWithText(text: string, apiKey: string): number[] {
  return text.split(LINE_END).flatMap((line, index) => (line.includes(apiKey) ? index : []));
}

function isUsable({ setting, value, isGiven, issues }: RecognisedSetting): boolean {
  if (setting === 'url') return isGiven && parseServiceUrl(value).ok;
  return isGiven && !issues.some(({ kind }) => ['malformed', 'non-ascii'].includes(kind));
}
