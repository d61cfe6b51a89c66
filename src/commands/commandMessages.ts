import { insertModeIds } from '../editor/insertMode.ts';
import { oneLine } from '../ui/oneLine.ts';

/**
 * Messages and labels for the commands. Messages needed before the commands load are in
 * `registerCommands.ts` so that activation doesn't load this file.
 */
export const COMMAND_MESSAGES = {
  menu: {
    services: 'Services',
    sources: 'Credential sources',
    another: '$(arrow-swap) Use Another Source...',
    extensions: 'Other extensions',
    forget: '$(discard) Forget Decision',
  },
  anotherSource: {
    title: 'Hosted Model: Use Another Source',
    placeHolder: (place: string) => `Select a value for hostedModel.credentialSource in ${place}`,
    isSet: (value: string, place: string) => `Credential source set to “${value}” in ${place}.`,
  },
  useService: (name: string) => `$(arrow-swap) Use ${name} for Selections`,
  usedWithHiddenModel: (name: string) =>
    `${name} is now used for selections. A workspace or remote setting overrides its model.`,
  notSetUp: (name: string) => `Couldn’t switch to ${name}, because it’s no longer set up.`,
  noGeneration: 'There’s no generation to repeat in this document.',
  noPreview: 'Open a response preview first.',
  /** Messages for a malformed keybinding argument. */
  malformed: {
    args: 'The keybinding’s “args” must be an object, such as {"template": "Review"}.',
    template: '“template” in the keybinding’s “args” must be a string.',
    insertMode: '“insertMode” in the keybinding’s “args” must be a string.',
  },
  noInsertMode: (id: string) =>
    `There’s no insert mode named “${oneLine(id)}”. Use one of these: ${insertModeIds.join(', ')}.`,
  openKeybindings: 'Open Keyboard Shortcuts',
  signOut: {
    question: 'Sign out of Hosted Model?',
    effects:
      'This deletes your stored keys, forgets your approvals, and discards all tokens. Chat can’t use your models until you set up Hosted Model or approve a source again.',
    effectsInBrowser: 'Other windows in this browser keep the keys until you reload them.',
    button: 'Sign Out',
  },
  signedOut: 'Signed out. Any keys in .env files are still there.',
  forgotten: 'You’ll be asked again before this source is used.',
  selectModel: 'Select Model',
  listingModels: 'Loading models',
  modelOfOther: (name: string) => `Open a folder to select a model for ${name}.`,
  ownModel: 'Your deployment has its own model, so you can’t select one.',
  ownModelHint:
    'Your deployment has its own model. To switch to another service, select one of that service’s models.',
  hiddenModel: 'A workspace or remote setting overrides the selected model.',
} as const;
