/**
 * Button labels, keyed by action. The first four keys are also command IDs, without the
 * `hostedModel.` prefix. To add another command, use its ID as the key and its title as the label.
 * An action that isn't a command also needs code in `reportFailure.ts`, `diagnoseConnection.ts`,
 * and `statusItem.ts`.
 */
export const ACTION_LABELS = {
  /** Starts setup at its first step, where the user can select another service or region. */
  setUp: 'Set Up...',
  selectModel: 'Select Model...',
  refreshToken: 'Refresh Token',
  diagnose: 'Diagnose Connection',
  /** Starts setup at the step for the key. */
  changeKey: 'Set Up...',
  changeProject: 'Change Project...',
  openSettings: 'Open Settings',
  openEnvFile: 'Open .env',
  retry: 'Retry',
  approve: 'Review and Approve...',
  useOtherSources: 'Use Other Sources...',
} as const;

/**
 * The actions that a diagnosis can offer. Messages can offer any of these except `approve` and
 * `useOtherSources`.
 */
export type Fix = keyof typeof ACTION_LABELS;

export type Action = Exclude<Fix, 'approve' | 'useOtherSources'>;

export interface Message {
  /**
   * The message: what happened, the likely cause, and what to do. At most 200 characters. In chat,
   * advice for the first action other than `retry` is added. If there's no such action, the text
   * itself must explain what to do. `CHAT_MESSAGES` in `src/chat/chatMessages.ts` can replace the
   * text in chat.
   */
  readonly text: string;
  /**
   * At most two actions, with the most likely fix first. Use `retry` if the user has to fix the
   * problem outside VS Code. Leave the list empty if retrying soon won't help, for example because
   * the user needs a new plan. Error messages also have a *Show Log* button.
   */
  readonly actions: readonly Action[];
  /** The setting that *Open Settings* shows; undefined to show all settings of the extension. */
  readonly setting?: string;
}

/** The label of the button that every error message has, in addition to its actions. */
export const SHOW_LOG = 'Show Log';
