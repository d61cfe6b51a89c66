import {
  capitalized,
  type LabelContext,
  needsSetting,
  resourceName,
  settingLabel,
} from '../messages/settingLabels.ts';
import type { Service } from '../service/services.ts';
import type { Destination } from './binding.ts';

export const SET_UP = {
  title: 'Set Up Hosted Model',
  done: 'Hosted Model is set up. The key is in secret storage.',
  generate: 'Generate from selection',
  useInChat: 'Use in Chat',
  whichService: 'Which service?',
  accountPrompt: (label: string, { name }: Service) => `${label} of ${name}.`,
  keyPrompt: (service: Service) => {
    const { name, keyPage } = service;
    const label = capitalized(settingLabel('apiKey', { service }));
    return `${label} of ${name}${keyPage && `, created at ${keyPage}`}. It is kept in VS Code's secret storage.`;
  },
  pasteKey: (service: Service) => `Paste the ${settingLabel('apiKey', { service })}`,
  keepKey: {
    stored: 'Leave empty to keep the stored key',
    found: 'Leave empty to keep the key that was found',
    typed: 'Leave empty to keep the key you typed',
  },
  changedKey: 'The stored key was changed meanwhile.',
  boundKey:
    'The stored key is not used for these hosts. Go back to enter a key or another address.',
  projectPrompt:
    'ID of the project that requests are billed to: in the project, under Manage, General, Details.',
  resourcePrompt: (resource: string) => `ID of the ${resource} that requests name.`,
  addressHint: ({ regions }: Service) =>
    regions.length > 0 ? 'Region of the project, or type the service URL' : 'Type the service URL',
  noAddress: 'Choose an address.',
  useAddress: (url: string) => `Use ${url}`,
  expectedAddress: 'Choose a region, or type the service URL.',
  current: '(current)',
  typedAddress: (isCut: boolean, url: string) =>
    `${isCut ? 'Without the path of an endpoint' : 'As an address'}: ${url}`,
  hostsHint: 'Are these the right hosts?',
  /** Appended to the hosts during an import, because the source applied to a single folder. */
  ofAllFolders: ', from all folders',
  test: '$(beaker) Test and Save',
  testDetail: (labels: LabelContext) =>
    needsSetting('projectId', labels)
      ? `Checks key, ${resourceName(labels)} and model. Generates nothing.`
      : 'Checks the credentials and lists the models. Generates nothing.',
  noTest: '$(save) Save Without Testing',
  cancelled: 'The test was cancelled.',
} as const;

/**
 * Names the hosts that receive the key and the selected text.
 * @param between separates the sentences about the two hosts, if they differ
 */
export function hostsText(
  { authHost, serviceHost }: Destination,
  service: Service,
  between: string,
): string {
  const label = settingLabel('apiKey', { service });
  return authHost === serviceHost
    ? `The ${label} and selected text go to ${serviceHost}`
    : `The ${label} goes to ${authHost}${between}Selected text goes to ${serviceHost}`;
}
