import type { QuickPickItem } from 'vscode';
import { isAllowedHeaderName, isHeaderValue, MAX_HEADERS } from '../../service/addedServices.ts';
import { askPick, askText, back, type Question, type StepAnswer } from '../../ui/steps.ts';
import { validationOf } from './answerChecks.ts';
import { type NewService, withFields } from './serviceEntry.ts';
import { MANAGE } from './setUpMessages.ts';

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
 * Returns the reason why a header with this name isn't allowed. Undefined if the header is allowed.
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
