import { oneLine } from '../ui/oneLine.ts';

/**
 * Messages and labels of the commands. The messages for commands that can't run are in
 * `commands.ts`, so that activation doesn't have to load this file.
 */
export const COMMAND_MESSAGES = {
  menu: {
    services: 'Services',
    sources: 'Where the credentials come from',
    another: '$(arrow-swap) Use Another Source...',
    extensions: 'Other extensions on your model',
    forget: '$(discard) Forget',
  },
  anotherSource: {
    title: 'Hosted Model: Use Another Source',
    placeHolder: (place: string) => `Sets hostedModel.credentialSource in ${place}`,
    isSet: (value: string, place: string) =>
      `hostedModel.credentialSource is set to ${value} in ${place}.`,
  },
  useService: (name: string) => `$(arrow-swap) Use for Selections: ${name}`,
  usedForSelections: (name: string) => `${name} is now used for selections.`,
  noGeneration: 'there is no generation here to try again.',
  noPreview: 'open the preview of a generated text first.',
  noDocument: 'open a document first.',
  /** Messages for a malformed keybinding argument. */
  malformed: {
    args: 'the keybinding\'s “args” must be an object, such as {"template": "Review"}.',
    template: "“template” in the keybinding's “args” must be a string.",
    insertMode: "“insertMode” in the keybinding's “args” must be a string.",
  },
  noInsertMode: (id: string, known: readonly string[]) =>
    `there is no insert mode “${oneLine(id)}”. Use one of these: ${known.join(', ')}.`,
  signOut: {
    question: 'Sign out of Hosted Model?',
    detail: 'This deletes the stored keys and tokens, and forgets your approvals.',
    button: 'Sign Out',
  },
  signedOut:
    'signed out. The stored key and the token are deleted, approvals are forgotten. Keys in .env files stay there.',
  gettingToken: 'Getting a token',
  newToken: 'a new token is in use.',
  noToken: 'there is no token to refresh: this service needs none.',
  forgotten: 'the answer is forgotten; you are asked again before these values are used.',
  selectModel: 'Select Model',
  listingModels: 'Asking the service for its models',
  modelOfOther: (name: string) =>
    `${name} is used by its default model here: only in a folder can it have another one.`,
  hiddenModel:
    'Hosted Model: the model is in your user settings, but a setting of this folder wins.',
} as const;
