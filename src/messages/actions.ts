/** Button labels by action. An action is the name of a command, except for the last five. */
export const ACTION_LABELS = {
  setUp: 'Set Up...',
  selectModel: 'Select Model...',
  refreshToken: 'Try Key Again',
  diagnose: 'Diagnose Connection',
  changeProject: 'Change Project...',
  openSettings: 'Open Settings',
  openEnvFile: 'Open .env',
  retry: 'Retry',
  approve: 'Review Approval',
} as const;

/** The actions that a diagnosis offers. Only a diagnosis offers `approve`. */
export type Fix = keyof typeof ACTION_LABELS;

/** The actions that messages offer. */
export type Action = Exclude<Fix, 'approve'>;

export interface Message {
  readonly text: string;
  /** At most two, with the most likely fix first. Error messages also get a *Show Log* button. */
  readonly actions: readonly Action[];
}
