import type { Resolution } from '../credentials/resolve.ts';
import type { Blemish, SettingName } from '../service/credentials.ts';
import type { ShownCheck } from './diagnosisView.ts';
import { addressText, blemishText, missingText } from './settingMessages.ts';

/** What *Diagnose Connection* says about the three settings before anything is sent. Pure. */

/** What is wrong with the values themselves. */
export interface SettingFlaws {
  /** What was taken off each value before it is used. */
  readonly blemishes: readonly (readonly [SettingName, readonly Blemish[]])[];
  /** A value that nothing can be done with, and what is wrong with it. */
  readonly unusable: { readonly setting: SettingName; readonly text: string } | undefined;
}

/** Where the settings come from, how they are written, and whether their hosts are approved. */
export function preliminaryChecks(
  resolution: Resolution,
  { blemishes, unusable }: SettingFlaws,
): ShownCheck[] {
  const settings: ShownCheck = {
    title: 'Settings',
    state: 'passed',
    text: 'The key from secret storage, the rest from the user settings.',
  };
  const syntax: ShownCheck = { title: 'Syntax', state: 'passed', text: 'All are well-formed.' };
  const hosts: ShownCheck = { title: 'Hosts', state: 'not-run', text: '' };
  if (resolution.kind === 'missing') {
    const text = missingText(resolution.names);
    return [
      { ...settings, state: 'failed', text, fix: 'setUp' },
      { ...syntax, state: 'not-run', text: '' },
      hosts,
    ];
  }
  if (resolution.kind === 'bad-address') {
    const text = addressText(resolution.setting, resolution.problem);
    return [settings, { ...syntax, state: 'failed', text, fix: 'openSettings' }, hosts];
  }
  if (unusable) {
    const fix = unusable.setting === 'apiKey' ? 'setApiKey' : 'openSettings';
    return [settings, { ...syntax, state: 'failed', text: unusable.text, fix }, hosts];
  }
  const text = blemishes.map(([name, found]) => blemishText(name, found)).join(' ');
  const written: ShownCheck = text
    ? { ...syntax, state: 'warning', text, fix: 'openSettings' }
    : syntax;
  if (resolution.kind === 'unapproved') {
    const { authHost, serviceHost } = resolution.wanted;
    const unapproved = `The settings lead to ${authHost} and ${serviceHost}, which you have not approved for your API key. Nothing was sent.`;
    return [settings, written, { ...hosts, state: 'failed', text: unapproved, fix: 'setUp' }];
  }
  const { authUrl, serviceUrl } = resolution.credentials;
  const [authHost, serviceHost] = [new URL(authUrl).host, new URL(serviceUrl).host];
  const approved = `The key goes to ${authHost}, text to ${serviceHost}, as you approved.`;
  return [settings, written, { ...hosts, state: 'passed', text: approved }];
}
