import { commands, window } from 'vscode';
import { parseServiceUrl } from '../service/credentials.ts';
import type { Settings } from '../settings.ts';
import { askPick, back } from '../ui/steps.ts';
import { addressText, urlProblem } from './settingMessages.ts';
import type { Resolution } from './sourceSelection.ts';

/**
 * The address of the service for a request that needs no key: the one in the settings, or else a
 * region that the user picks for this once.
 */
export async function requireAddress({ url, vendor }: Settings): Promise<string | undefined> {
  const parsed = parseServiceUrl(url);
  if (parsed.ok) return parsed.url;
  const picked = await askPick({
    title: 'Region',
    step: 1,
    totalSteps: 1,
    placeholder:
      url === ''
        ? 'No service URL is set: the models of which region?'
        : `The service URL cannot be used: ${urlProblem(parsed.problem)}. The models of which region?`,
    items: vendor.regions.map(({ place, url: address }) => ({
      label: place,
      description: address,
    })),
  });
  return picked === back ? undefined : picked?.description;
}

/**
 * Says what is wrong with an address in the settings. Nobody waits for the message to be closed: it
 * may stay open for as long as the window.
 */
export function reportAddress({
  setting,
  problem,
}: Resolution & { readonly kind: 'bad-address' }): void {
  const text = `Hosted Model: ${addressText(setting, problem)}`;
  const openSettings = 'Open Settings';
  void window.showErrorMessage(text, openSettings).then((picked) => {
    if (picked === openSettings) void commands.executeCommand('hostedModel.openSettings');
  });
}
