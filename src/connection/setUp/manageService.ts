import { type QuickPickItem, window } from 'vscode';
import { serviceEntries, writeServiceEntries } from '../../config/configuration.ts';
import {
  isAllowedHeaderName,
  isHeaderValue,
  isServiceName,
  MAX_HEADERS,
  wordOf,
} from '../../service/addedServices.ts';
import type { Service } from '../../service/service.ts';
import { inform } from '../../ui/notify.ts';
import { askPick, askText, back, type Question, type StepAnswer } from '../../ui/steps.ts';
import { usedForSelectionsText } from '../connectionMessages.ts';
import type { KeyStore } from '../keyStore.ts';
import { readSettingsInUse, stopUsing } from '../serviceSettingsUpdate.ts';
import { validationOf } from './answerChecks.ts';
import { type NewService, serviceEntry, withEntry, withFields } from './serviceEntry.ts';
import { MANAGE } from './setUpMessages.ts';

/** The setup steps for changing or removing a service that the user added. */

/**
 * A change to a service that the user added. After `credentials`, `authMethod`, or `headers`, the
 * setup continues with its other steps.
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

/**
 * Prompts for changes to a service's fixed headers.
 * @returns the changed service; `back` if the user went back; undefined if the user closed a prompt
 */
export async function askHeaders(
  service: NewService,
  position: Question,
): Promise<StepAnswer<NewService>> {
  let changed = service;
  for (;;) {
    const { headers } = changed.service;
    const picked = await askPick<QuickPickItem & { readonly name?: string }>({
      ...position,
      placeholder: MANAGE.whichHeader,
      items: [
        { label: MANAGE.addHeader },
        ...headers.map(({ name }) => ({ label: MANAGE.removeHeader(name), name })),
        { label: MANAGE.noMoreHeaders, name: '' },
      ],
    });
    if (picked === undefined || picked === back) return picked;
    if (picked.name === '') return changed;
    const next = picked.name
      ? withFields(changed, { headers: withoutHeader(changed, picked.name) })
      : await askHeader(changed, position);
    if (next === undefined) return undefined;
    if (next !== back) changed = next;
  }
}

async function askHeader(service: NewService, position: Question): Promise<StepAnswer<NewService>> {
  const name = await askText({
    ...position,
    prompt: MANAGE.headerNamePrompt,
    placeholder: 'X-Team',
    check: (text) => validationOf(text, problemOfName(service, text.trim())),
  });
  if (typeof name !== 'string') return name;
  const picked = await askPick<QuickPickItem & { readonly isSecret: boolean }>({
    ...position,
    placeholder: MANAGE.whichStorage(name.trim()),
    items: [
      { label: MANAGE.plainValue, isSecret: false },
      { label: MANAGE.secretValue, isSecret: true },
    ],
  });
  if (picked === undefined || picked === back) return picked;
  if (picked.isSecret) return withHeader(service, name.trim(), { secret: name.trim() });
  const value = await askText({
    ...position,
    prompt: MANAGE.headerValuePrompt(name.trim()),
    placeholder: '',
    check: (text) =>
      validationOf(text, isHeaderValue(text.trim()) ? undefined : MANAGE.badHeaderValue),
  });
  return typeof value === 'string' ? withHeader(service, name.trim(), value.trim()) : value;
}

/**
 * Returns the reason why the service can't have a header with this name. Undefined if the header is
 * allowed.
 */
function problemOfName(service: NewService, name: string): string | undefined {
  if (name === '' || !isAllowedHeaderName(name)) return MANAGE.badHeader;
  const others = Object.keys(withoutHeader(service, name));
  if (others.length >= MAX_HEADERS) return MANAGE.tooManyHeaders;
  return withHeader(service, name, { secret: name }) ? undefined : MANAGE.keyHeader;
}

/** Returns the service with the header added or replaced; undefined if the header isn't allowed. */
function withHeader(service: NewService, name: string, value: unknown): NewService | undefined {
  return withFields(service, { headers: { ...withoutHeader(service, name), [name]: value } });
}

/**
 * Returns a service's headers, except the one with this name. Header names aren't case-sensitive.
 */
function withoutHeader({ entry }: NewService, name: string): Readonly<Record<string, unknown>> {
  const headers = Object.entries(Object(entry['headers']));
  return Object.fromEntries(
    headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase()),
  );
}
