import type { Vendor } from '../service/vendors.ts';
import { assignmentsOf, LINE_END } from './envText.ts';
import { recognisedSettings } from './settingValue.ts';

/** Where in a `.env` text an API key stands that is about to move elsewhere. */

/** The lines that hold this key, by whatever name; another key stays where it is. */
export function linesOfKey(text: string, apiKey: string, vendor: Vendor): number[] {
  return recognisedSettings(assignmentsOf(text), vendor).flatMap(({ setting, value, place }) =>
    setting === 'apiKey' && value === apiKey ? (place?.line ?? []) : [],
  );
}

/** Every line in which this key stands, be it in a comment or by the name of another program. */
export function linesWithText(text: string, apiKey: string): number[] {
  return text.split(LINE_END).flatMap((line, index) => (line.includes(apiKey) ? index : []));
}
