import type { Blemish, SettingName, UrlProblem } from '../service/credentials.ts';
import { flawPhrase, TAKEN_OFF } from './flawPhrases.ts';

/** Every sentence about the three settings that are missing or cannot be used. Pure. */

const SETTING_LABELS: Readonly<Record<SettingName, string>> = {
  apiKey: 'API key',
  projectId: 'project ID',
  url: 'service URL',
};

const URL_PROBLEMS: Readonly<Record<UrlProblem, string>> = {
  'not-a-url': 'it is not a web address such as https://us-south.ml.cloud.ibm.com',
  'not-https': 'it must begin with https:// (http:// only for 127.0.0.1)',
  'has-user': 'it must not hold a user name or password',
  'has-query': 'it must not hold a query or fragment',
  'bad-host': 'its host name holds characters that no host has',
  'bad-path': 'its path holds characters that no service path has',
};

/** "API key", within a sentence. */
export function settingLabel(name: SettingName): string {
  return SETTING_LABELS[name];
}

/** "an API key, a project ID and a service URL", in the order given. */
export function settingNames(names: readonly SettingName[]): string {
  const labels = names.map((name) => `${name === 'apiKey' ? 'an' : 'a'} ${SETTING_LABELS[name]}`);
  return new Intl.ListFormat('en-GB').format(labels);
}

export function missingText(names: readonly SettingName[]): string {
  return `Hosted Model needs ${settingNames(names)} before it can generate. Nothing was sent.`;
}

export function urlProblem(problem: UrlProblem): string {
  return URL_PROBLEMS[problem];
}

export const STORAGE_FAILS =
  'Hosted Model: the secret storage of VS Code cannot be read, most likely since the keyring of this machine is locked or missing. Unlock or install one, or keep the API key in a .env file or the environment.';

export const STORAGE_REFUSES_KEY =
  'Hosted Model: the API key could not be stored, most likely since this machine has no keyring. Install or unlock one and try again, or keep the key in a .env file or the environment.';

export const STORAGE_FORGOT =
  'Hosted Model: the API key that you set earlier is no longer in the secret storage of VS Code. A machine without a keyring forgets it when VS Code closes. Set it again, or keep it in a .env file or the environment.';

export const STORAGE_KEEPS_KEY =
  'Hosted Model: the API key could not be deleted, since the secret storage of VS Code refused it. The token is deleted. Try again, or delete the key on the page where you created it.';

/** Why an address in the settings is not used at all. */
export function addressText(setting: 'url' | 'authUrl', problem: UrlProblem): string {
  const which = setting === 'url' ? SETTING_LABELS.url : 'identity address';
  return `The ${which} in the settings cannot be used: ${urlProblem(problem)}. Nothing was sent.`;
}

/** How a value is written that is used all the same. */
export function blemishText(name: SettingName, blemishes: readonly Blemish[]): string {
  const listed = (kinds: readonly Blemish[]) => kinds.map(flawPhrase).join(' and ');
  const takenOff = blemishes.filter((kind) => kind in TAKEN_OFF);
  const kept = blemishes.filter((kind) => !(kind in TAKEN_OFF));
  const texts = [
    takenOff.length > 0
      ? `The ${SETTING_LABELS[name]} ${listed(takenOff)}. Hosted Model takes that off; other programs may not.`
      : [],
    kept.length > 0
      ? `The ${SETTING_LABELS[name]} ${listed(kept)}. Make sure that it is the one you mean.`
      : [],
  ];
  return texts.flat().join(' ');
}

/** @param why a sentence about what such a value looks like */
export function unusableText(name: SettingName, why: string): string {
  return `The ${SETTING_LABELS[name]} cannot be used. ${why} Nothing was sent.`;
}
