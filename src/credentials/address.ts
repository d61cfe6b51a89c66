import { commands, window } from 'vscode';
import { parseServiceUrl } from '../service/credentials.ts';
import type { Settings } from '../settings.ts';
import { urlProblem } from '../ui/settingMessages.ts';
import { askPick, back } from '../ui/steps.ts';
import type { Resolution } from './resolve.ts';

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

/** Says what is wrong with an address in the settings. */
export async function reportAddress({
  setting,
  problem,
}: Resolution & { readonly kind: 'bad-address' }): Promise<void> {
  const which = setting === 'url' ? 'service URL' : 'identity address';
  const text = `Hosted Model: the ${which} in the settings cannot be used: ${urlProblem(problem)}. Nothing was sent.`;
  const openSettings = 'Open Settings';
  const picked = await window.showErrorMessage(text, openSettings);
  if (picked === openSettings) await commands.executeCommand('hostedModel.openSettings');
}
