import type { QuickPickItem } from 'vscode';
import { parseServiceUrl } from '../service/credentials.ts';
import type { Settings } from '../settings.ts';

/** The addresses that the set-up offers. */

export interface AddressItem extends QuickPickItem {
  readonly url: string;
}

/** The regions of the vendor, the one in use first. */
export function addressItems({ vendor }: Settings, current: string): AddressItem[] {
  const regions = vendor.regions.map(({ place, url }) => ({ label: place, description: url, url }));
  const others = regions.filter(({ url }) => url !== current);
  if (!current) return others;
  const region = regions.find(({ url }) => url === current);
  const now = { label: region?.label ?? current, url: current };
  return [{ ...now, description: region ? `${current} (current)` : '(current)' }, ...others];
}

/** What somebody typed instead of picking, and what it is cut to if they pasted too much. */
export function typedAddress(text: string): AddressItem | undefined {
  if (!text.includes('/')) return undefined;
  const item = { label: text, url: text, alwaysShow: true };
  const parsed = parseServiceUrl(text);
  if (!parsed.ok || parsed.url === text) return item;
  const why = parsed.cut ? 'Without the path of an endpoint' : 'As an address';
  return { ...item, detail: `${why}: ${parsed.url}` };
}
