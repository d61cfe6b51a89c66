import { type QuickPickItem, window } from 'vscode';
import { serviceEntries, writeServiceEntries } from '../../config/configuration.ts';
import { isServiceName, wordOf } from '../../service/addedServices.ts';
import type { Service } from '../../service/service.ts';
import { inform } from '../../ui/notify.ts';
import { askPick, askText, back, type Question, type StepAnswer } from '../../ui/steps.ts';
import { usedForSelectionsText } from '../connectionMessages.ts';
import type { KeyStore } from '../keyStore.ts';
import { readSettingsInUse, stopUsing } from '../serviceSettingsWriter.ts';
import { validationOf } from './answerChecks.ts';
import { serviceEntry, withEntry } from './serviceEntry.ts';
import { MANAGE } from './setUpMessages.ts';

/** The setup steps for changing or removing a service that the user added. */

/**
 * A change to a service that the user added. After `credentials`, `authMethod`, or `headers`, setup
 * continues with its other steps.
 */
export type ManageAction = 'credentials' | 'authMethod' | 'headers' | 'rename' | 'remove';

interface ManageItem extends QuickPickItem {
  readonly action: ManageAction;
}

/** Lets the user choose what to do with a service that they added. */
export async function askAction(
  { name }: Service,
  position: Question,
): Promise<StepAnswer<ManageAction>> {
  const actions = Object.entries(MANAGE.actions) as [ManageAction, string][];
  const picked = await askPick<ManageItem>({
    ...position,
    placeholder: MANAGE.whichAction(name),
    items: actions.map(([action, label]) => ({ label, action })),
  });
  return picked === undefined || picked === back ? picked : picked.action;
}

/**
 * Prompts for a new name. The user doesn't have to approve the entry again, because only its name
 * changes.
 */
export async function renameService(
  keys: KeyStore,
  service: Service,
  position: Question,
): Promise<void> {
  const name = await askText({
    ...position,
    prompt: MANAGE.namePrompt,
    placeholder: MANAGE.name,
    value: service.name,
    check: (text) => validationOf(text, isServiceName(text.trim()) ? undefined : MANAGE.badName),
  });
  if (typeof name !== 'string') return;
  const record = await keys.read(service.word);
  // Read the entries after the prompt closes, because the user may have changed them while it was
  // open.
  const entries = serviceEntries();
  const before = entries.find((one) => wordOf(one) === service.word) ?? serviceEntry(service);
  const entry = { ...Object(before), name: name.trim() };
  await writeServiceEntries(withEntry(entries, entry));
  if (record && record.definition === JSON.stringify(before)) {
    const renamed = { ...record, definition: JSON.stringify(entry) };
    await keys.write(renamed, service.word, { stored: record });
  }
  inform(MANAGE.renamed(name.trim()));
}

/**
 * Asks for confirmation, then deletes a service's key and entry. If the service is in use, first
 * switches to another service that is set up. If there is none, deletes the service's values from
 * the settings instead.
 */
export async function removeService(keys: KeyStore, service: Service): Promise<void> {
  const { word, name } = service;
  const { question, detail, button } = MANAGE.remove;
  const options = { modal: true, detail };
  if ((await window.showWarningMessage(question(name), options, button)) !== button) return;
  // Switch before deleting the key. Otherwise, if the settings don't name a service, a request sent
  // before the settings are written could go to another service but still use the removed service's
  // project.
  const isInUse = (await readSettingsInUse(keys)).service.word === word;
  const next = isInUse && (await stopUsing(keys, service));
  await keys.remove(word);
  const others = serviceEntries().filter((entry) => wordOf(entry) !== word);
  await writeServiceEntries(others);
  inform(MANAGE.removed(name));
  if (next) inform(usedForSelectionsText(next.name));
}
