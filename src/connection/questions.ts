import { type WorkspaceFolder, window } from 'vscode';
import type { SettingsTarget } from '../config/configuration.ts';
import type { Settings } from '../config/settings.ts';
import { allSettings, settingLabel } from '../messages/settingLabels.ts';
import { parseServiceUrl } from '../service/credentials.ts';
import { type Service, services } from '../service/services.ts';
import { openSettings } from '../ui/openSettings.ts';
import { askPick, back } from '../ui/steps.ts';
import type { ApprovalAnswer } from './approvals.ts';
import type { ChangedBinding } from './binding.ts';
import {
  LEFT_KEY_WARNINGS,
  sourceName,
  sourceProblem,
  targetText,
  URL_PROBLEMS,
} from './connectionMessages.ts';
import { envFileOf, openEnvFile } from './folders.ts';
import { gitRisk } from './gitRisk.ts';
import { hostsText } from './setUpMessages.ts';
import type { ExternalSource, Folder, SourceSnapshot, UsableSource } from './sourceSelection.ts';

/** What people are asked about their credentials, and warned of, outside of the set-up. */

/**
 * A question that keeps everything else waiting.
 * @param answers each with its button; the first one is pressed by Enter
 * @returns undefined if the question was closed
 */
async function ask<Value>(
  text: string,
  paragraphs: readonly string[],
  answers: readonly (readonly [button: string, value: Value])[],
): Promise<Value | undefined> {
  const buttons = answers.map(([button]) => button);
  const detail = paragraphs.join('\n\n');
  const pressed = await window.showWarningMessage(text, { modal: true, detail }, ...buttons);
  return answers.find(([button]) => button === pressed)?.[1];
}

/**
 * Asks before a stored key may go to another host than the ones shown when it was saved (rule R3
 * of the threat model). Keeping the saved hosts is the button that Enter presses.
 */
export function askDestination(
  { approved, wanted, isEntryChanged }: ChangedBinding,
  service: Service,
): Promise<'saved' | 'wanted' | undefined> {
  const label = settingLabel('apiKey', { service });
  const change = (what: string, old: string, now: string) =>
    old === now
      ? `${what} goes to ${old}, as before.`
      : `${what} went to ${old}\nand would now go to ${now}`;
  return ask(
    isEntryChanged
      ? `The entry of this service in your settings has changed since your ${label} was saved.`
      : `Hosted Model would use other hosts than the ones your ${label} was saved for.`,
    [
      change(`The ${label}`, approved.authHost, wanted.authHost),
      change('Selected text', approved.serviceHost, wanted.serviceHost),
      `Nothing was sent. Use the ${isEntryChanged ? 'changed entry' : 'new hosts'} only if you changed ${isEntryChanged ? 'it' : 'them'} yourself.`,
    ],
    isEntryChanged
      ? [
          ['Do Not Use', undefined],
          ['Use the Changed Entry', 'wanted'],
        ]
      : [
          ['Keep Saved Hosts', 'saved'],
          ['Use New Hosts', 'wanted'],
        ],
  );
}

/**
 * Asks whether the credentials of a `.env` file or the environment may be used in a folder (rule
 * R4 of the threat model). Enter presses the button that uses nothing.
 */
export function askSource(
  { id, values, service, destination }: UsableSource,
  folder: Folder,
): Promise<ApprovalAnswer | 'import' | undefined> {
  const [what, others] =
    id === 'envFile'
      ? ['the .env file of this folder', 'the file']
      : ['the environment of VS Code', 'the environment'];
  const label = settingLabel('apiKey', { service });
  // The first one is what most people have, and know by no name.
  const ofService = service.word === services[0].word ? '' : ` for ${service.name}`;
  return ask(
    `Use the ${allSettings({ service, resource: values.resource })}${ofService} from ${what}?`,
    [
      `Folder: ${folder.path || 'none'}`,
      hostsText(destination, service, '\n'),
      `The text goes to the account that this ${label} belongs to. Whoever wrote ${others} chose account and service: say yes only if you know who that is.`,
      'The answer holds for exactly these values in this folder: any change asks again. Importing copies them into secret storage and your settings, for all folders.',
    ],
    [
      ['Do Not Use', 'refused'],
      ['Use These Values', 'approved'],
      ['Import into Secret Storage', 'import'],
    ],
  );
}

/**
 * Asks whether the other sources may be used again if the one in `hostedModel.credentialSource`
 * can't be used: text must not go to another account without a word.
 * @param target where the setting is written
 */
export function askInstead(
  source: ExternalSource,
  found: SourceSnapshot,
  target: SettingsTarget,
): Promise<true | undefined> {
  const problem = sourceProblem(source) ?? '';
  return ask(
    `The source in hostedModel.credentialSource cannot be used: ${sourceName(source.id, found)} (${problem}).`,
    [
      `Nothing was sent. Fix it, or let the other sources be used again: secret storage and user settings first. That sets hostedModel.credentialSource to auto in ${targetText(target)}.`,
    ],
    [['Use the Others Again', true]],
  );
}

/** Asks before the only copy of a key may be lost. */
export function askReplacement(service: Service): Promise<boolean | undefined> {
  return ask(
    `Replace the stored ${settingLabel('apiKey', { service })}?`,
    ['Text from all folders then goes to the account of the new key.'],
    [
      ['Keep Stored Key', false],
      ['Replace Key', true],
    ],
  );
}

/**
 * The address of the service for a request that needs no key: the one in the settings, or else a
 * region that the user picks for this once.
 */
export async function requireAddress({ url, service }: Settings): Promise<string | undefined> {
  const parsed = parseServiceUrl(url);
  if (parsed.ok) return parsed.url;
  const picked = await askPick({
    title: 'Region',
    step: 1,
    totalSteps: 1,
    placeholder:
      url === ''
        ? 'No service URL is set: the models of which region?'
        : `The service URL cannot be used: ${URL_PROBLEMS[parsed.problem]}. The models of which region?`,
    items: service.regions.map(({ place, url: address }) => ({
      label: place,
      description: address,
    })),
  });
  return picked === back ? undefined : picked?.description;
}

/**
 * Says what is wrong with one of the settings. Nobody waits for the message to be closed: it may
 * stay open for as long as the window.
 */
export function reportSetting(text: string): void {
  const button = 'Open Settings';
  void window.showErrorMessage(`Hosted Model: ${text}`, button).then((picked) => {
    if (picked === button) void openSettings();
  });
}

/** Warns after an import if the `.env` file, which still holds the key, can end up in a repository. */
export async function warnOfLeftKey(folder: WorkspaceFolder): Promise<void> {
  const risk = await gitRisk(envFileOf(folder));
  if (!risk) return;
  const open = 'Open .env';
  if ((await window.showWarningMessage(LEFT_KEY_WARNINGS[risk], open)) === open) {
    await openEnvFile(folder);
  }
}
