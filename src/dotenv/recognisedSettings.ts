import { SETTING_NAMES, type SettingName } from '../service/credentials.ts';
import { type NameSet, nameSets, type Vendor } from '../service/vendors.ts';
import type { Assignment } from './envText.ts';
import { readValue, type SettingValue } from './settingValue.ts';

/** An assignment to a name that is read. */
export interface RecognisedSetting extends SettingValue {
  readonly assignment: Assignment;
  readonly set: NameSet;
  readonly setting: SettingName;
}

/** The assignments that are meant for this client, in their order. */
export function recognisedSettings(
  assignments: readonly Assignment[],
  vendor: Vendor,
  sets: readonly NameSet[] = nameSets(vendor),
): RecognisedSetting[] {
  const readers = new Map(
    sets.flatMap((set) =>
      SETTING_NAMES.flatMap((setting) =>
        set[setting].map((name) => [name, { set, setting }] as const),
      ),
    ),
  );
  return assignments.flatMap((assignment) => {
    const reader = readers.get(assignment.name);
    if (!reader) return [];
    return { assignment, ...reader, ...readValue(reader.setting, assignment, vendor) };
  });
}
