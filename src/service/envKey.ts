import { parseServiceUrl } from './credentials.ts';
import { readEnvFile } from './envFile.ts';
import { assignmentsOf } from './envText.ts';
import { type GivenSetting, givenSettings } from './givenSettings.ts';
import { nameSets, type Vendor } from './vendors.ts';

/** The API key in a `.env` text that is about to move elsewhere, and what stands with it. */

export interface FoundKey {
  readonly apiKey: string;
  readonly projectId: string | undefined;
  readonly url: string | undefined;
}

/**
 * The key of the set that is used, or else the first one that can be a key, whatever is missing
 * beside it. Values come without what does not belong to them.
 */
export function findKey(text: string, vendor: Vendor): FoundKey | undefined {
  const { values } = readEnvFile(text, vendor);
  if (values) return values;
  const sets = nameSets(vendor);
  const usable = givenSettings(assignmentsOf(text), vendor, sets).filter(isUsable);
  for (const set of sets) {
    const own = usable.filter((one) => one.set === set);
    const [apiKey, projectId, url] = (['apiKey', 'projectId', 'url'] as const).map(
      (setting) => own.find((one) => one.setting === setting)?.value,
    );
    if (apiKey !== undefined) return { apiKey, projectId, url };
  }
  return undefined;
}

/** The lines that hold this key, by whatever name; another key stays where it is. */
export function linesOfKey(text: string, apiKey: string, vendor: Vendor): number[] {
  return givenSettings(assignmentsOf(text), vendor).flatMap(({ setting, value, assignment }) =>
    setting === 'apiKey' && value === apiKey ? (assignment.at?.line ?? []) : [],
  );
}

function isUsable({ setting, value, isGiven, flaws }: GivenSetting): boolean {
  if (setting === 'url') return isGiven && parseServiceUrl(value).ok;
  return isGiven && !flaws.some(({ flaw }) => ['malformed', 'non-ascii'].includes(flaw.kind));
}
