import { formatNumber } from '../../messages/rejectionMessages.ts';
import {
  capitalized,
  hasRegions,
  type LabelContext,
  listOf,
  needsSetting,
  resourceName,
  settingLabel,
} from '../../messages/settingLabels.ts';
import { commandText } from '../../messages/tokenCommandFailure.ts';
import { MAX_HEADERS, type ServiceIssue } from '../../service/addedServices.ts';
import { MAX_VALUE_LENGTH, type ValueFlaw } from '../../service/pastedValue.ts';
import { commandOf, type Service } from '../../service/service.ts';
import type { AddressProblem, Destination } from '../approvedDestination.ts';
import {
  addressFlaw,
  headersText,
  hostsText,
  PROJECT_FORMAT,
  REMOVED_FLAWS,
  unencryptedText,
} from '../connectionMessages.ts';

export const SET_UP = {
  title: 'Set Up Hosted Model',
  // These messages can be shown without buttons, so each has at most 60 characters (see `inform`).
  done: 'Hosted Model is set up.',
  doneWithKey: 'Hosted Model is set up. The key is in secret storage.',
  howToGenerate: (platform: NodeJS.Platform) => {
    const keys = platform === 'darwin' ? 'Cmd+K Cmd+G' : 'Ctrl+K Ctrl+G';
    return `Hosted Model is set up. Select text and press ${keys}.`;
  },
  generate: 'Generate from selection',
  useInChat: 'Use in Chat',
  whichService: 'Select a service',
  accountPrompt: (label: string, { name }: Service) => `${label} for ${name}.`,
  keyPrompt: (service: Service) => {
    const { name } = service;
    const label = capitalized(settingLabel('apiKey', { service }));
    return `${label} for ${name}. It’s kept in VS Code’s secret storage.`;
  },
  headerPrompt: (label: string, { name }: Service) =>
    `${capitalized(label)} for ${name}. It’s kept in VS Code’s secret storage.`,
  keepHeader: 'Leave empty to keep the stored value',
  createKey: 'Create in Browser',
  pasteKey: (service: Service) => `Paste the ${settingLabel('apiKey', { service })}`,
  keepKey: {
    stored: 'Leave empty to keep the stored value',
    imported: 'Leave empty to keep the imported value',
    typed: 'Leave empty to keep the value that you typed',
  },
  changedKey: 'The stored value changed in another window. Enter the value that you want to use.',
  changedValues:
    'The service’s stored values changed in another window. Check your answers, then save again.',
  unapprovedKey:
    'You haven’t approved these changes for the stored values. Go back and enter the values again, or undo the changes.',
  projectPrompt:
    'ID of the project to bill. To find it, open the project and select Manage > General > Details.',
  resourcePrompt: (resource: string) => `ID of the ${resource} to use.`,
  addressHint: (service: Service) => {
    if (!hasRegions({ service })) return 'Enter the service URL';
    const region = needsSetting('projectId', { service }) ? 'the project’s region' : 'a region';
    return `Select ${region}, or enter the service URL`;
  },
  noAddress: 'Select or enter an address.',
  current: '(current)',
  typedAddress: (hadEndpoint: boolean, url: string) =>
    `Will be saved as ${url}${hadEndpoint ? ', without the endpoint path' : ''}`,
  hostsHint: 'Check the hosts before you continue',
  /**
   * Appended to `approvalText` during an import, because a source is approved for one folder, but
   * imported values apply to all folders.
   */
  ofAllFolders: ' · The imported values apply to all folders',
  test: '$(beaker) Test and Save',
  testDetail: (labels: LabelContext) => {
    if (!needsSetting('projectId', labels))
      return 'Tests the connection and loads the model list. Doesn’t generate text unless you agree.';
    const resource = resourceName(labels);
    const checked =
      resource === 'deployment' ? ['credentials', resource] : ['credentials', resource, 'model'];
    return `Checks the ${listOf(checked)}. Doesn’t generate text.`;
  },
  noTest: '$(save) Save Without Testing',
  testing: 'Testing the connection. To stop, go back',
  cancelled: 'The test was canceled.',
} as const;

/** UI strings for adding a service. */
export const NEW_SERVICE = {
  add: '$(add) Add a Service...',
  whichApi: 'Select the service’s API',
  addressExample: 'https://llm.acme.example/v1',
  badAddress: 'This address can’t be used',
  whichAuthMethod: 'Select how requests are authenticated',
  whichHeader: 'Select or enter the header that contains the key',
  commandPrompt:
    'Command that prints a token. It runs on your machine without a shell, and only when a request needs a token.',
  commandExample: 'az account get-access-token --resource https://llm.acme.example',
  badCommand: 'Enter a program and its arguments. Pipes and other shell features don’t work.',
  noProgram: 'Couldn’t find the program. Check its name, or enter its full path.',
  tokenUrlPrompt: 'Address of the identity service’s token endpoint.',
  whichModel: 'Select a model, or enter its ID',
  typeModel: 'Enter a model ID.',
  noModels: (url: string) =>
    `No models were found at ${url}. If the address is right, enter a model ID. Otherwise, go back.`,
  notSaved: 'Nothing is saved until you select a model or enter its ID.',
  listing: 'Loading models',
  generating: 'Generating one token',
  oneToken: {
    question: (host: string) => `Test ${host} by generating one token?`,
    detail: 'The service has no model list, so this is the only way to test the connection.',
    generate: 'Generate One Token',
  },
} as const;

/** UI strings for changing or removing a service. */
export const MANAGE = {
  whichAction: (name: string) => `What do you want to do with ${name}?`,
  actions: {
    credentials: '$(key) Change Credentials...',
    authMethod: '$(link) Change Address or Authentication...',
    headers: '$(list-unordered) Change Headers...',
    rename: '$(edit) Rename...',
    remove: '$(trash) Remove...',
  },
  name: 'Name',
  namePrompt: 'Service name to show in lists and messages.',
  badName: "Use 1 to 64 characters: letters, digits, spaces, and . , ( ) & ' _ -",
  renamed: (name: string) => `The service is now called ${name}.`,
  remove: {
    question: (name: string) => `Remove ${name}?`,
    detail: 'This deletes the service’s entry in your settings and its stored credentials.',
    button: 'Remove',
  },
  removed: (name: string) => `${name} was removed.`,
  whichHeader: 'Headers to send with each request to the service',
  addHeader: '$(add) Add a Header...',
  removeHeader: (name: string) => `$(trash) Remove ${name}`,
  noMoreHeaders: '$(check) Continue',
  headerNamePrompt: 'Name of the header.',
  badHeader:
    'This header name can’t be used. Start with a letter, and use only letters, digits, and hyphens. Names such as Cookie and Authorization are reserved.',
  keyHeader: 'This header already contains the key.',
  tooManyHeaders: `A service can have at most ${MAX_HEADERS} headers. Remove one first.`,
  whichStorage: (name: string) => `Select where to store the value of ${name}`,
  plainValue: 'Store in Settings',
  secretValue: 'Store in Secret Storage',
  headerValuePrompt: (name: string) => `Value of ${name}.`,
  badHeaderValue: 'Use at most 1,024 ASCII characters on a single line.',
} as const;

/**
 * Explains why the answers don't describe a valid service. Shown in the step where the user can fix
 * the problem.
 */
export function notAllowedText(field: ServiceIssue['field']): string {
  switch (field) {
    case 'url':
      return 'This authentication method needs an https:// address.';
    case 'header':
      return MANAGE.badHeader;
    case 'headers':
      return 'This header already has a fixed value. Select another one.';
    case 'command':
      return NEW_SERVICE.badCommand;
    default:
      return 'This value doesn’t work with your other answers. Change it, or go back.';
  }
}

/** Lists everything that the user approves by saving: the hosts, the command, and the headers. */
export function approvalText(
  target: Destination,
  {
    settings: { service },
    program,
  }: { readonly settings: { readonly service: Service }; readonly program: string | undefined },
): string {
  return [
    target.isUnencrypted && unencryptedText(target, service),
    program &&
      `Hosted Model runs ${commandText([program, ...(commandOf(service) ?? []).slice(1)])}`,
    hostsText(target, service, ' · '),
    headersText(service),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Describes what `cleanValue` removes from an entered value. Empty if it removes nothing. */
export function removedFlawsText(issues: readonly ValueFlaw[]): string {
  const what = issues.flatMap((issue) => REMOVED_FLAWS[issue] ?? []).join(' and ');
  return what && `${capitalized(what)} will be removed.`;
}

/**
 * Messages about values that the user entered during setup. The messages never contain the values.
 */
export const ANSWER_ISSUES = {
  nothing: 'Enter a value.',
  exampleKey: 'The value is a placeholder from an example.',
  garbledKey: (what: string, mayHoldSpaces: boolean) =>
    `${capitalized(what)} can’t contain ${mayHoldSpaces ? '' : 'spaces or '}non-ASCII characters. Copy the value again.`,
  longKey: (what: string) =>
    `${capitalized(what)} can have at most ${formatNumber(MAX_VALUE_LENGTH)} characters. Copy the value again.`,
  garbledHeader: 'Use at most 1,024 ASCII characters on a single line.',
  noAccount: (label: string) => `Enter a valid ${label}.`,
  holdsKey: (what: string, label: string) =>
    `The ${what} contains the ${label}, so requests would reveal it. Change the value.`,
  unusualProject: 'Project IDs are usually UUIDs. Check that this isn’t the project’s name.',
  garbledProject: `Enter the ID, not the name. ${PROJECT_FORMAT}`,
} as const;

/** Explains why an entered service URL, or the identity address in the settings, can't be used. */
export function answeredAddressText({ setting, problem }: AddressProblem): string {
  const which = setting === 'url' ? 'This address' : 'The identity service URL in the settings';
  return `${which} can’t be used: ${addressFlaw(setting, problem)}.`;
}
