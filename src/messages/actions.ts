/**
 * Button labels, keyed by action. The first four keys are also command IDs, without the
 * `hostedModel.` prefix.
 */
export const ACTION_LABELS = {
  setUp: 'Set Up...',
  selectModel: 'Select Model...',
  refreshToken: 'Refresh Token',
  diagnose: 'Diagnose Connection',
  changeKey: 'Set Up...',
  changeProject: 'Change Project...',
  openSettings: 'Open Settings',
  openEnvFile: 'Open .env',
  retry: 'Retry',
  approve: 'Review and Approve...',
  useOtherSources: 'Use Other Sources...',
} as const;

/**
 * The actions that a diagnosis can offer. Messages can offer all of these except `approve` and
 * `useOtherSources`.
 */
export type Fix = keyof typeof ACTION_LABELS;

export type Action = Exclude<Fix, 'approve' | 'useOtherSources'>;

export interface Message {
  readonly text: string;
  /**
   * At most two actions, with the most likely fix first. Error messages also have a *Show Log*
   * button.
   */
  readonly actions: readonly Action[];
  /** The setting that *Open Settings* shows; undefined to show all settings of the extension. */
  readonly setting?: string;
}

/** The label of the button that every error message has, in addition to its actions. */
export const SHOW_LOG = 'Show Log';
