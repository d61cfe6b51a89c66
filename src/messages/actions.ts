/** Button labels by action. Except for the last five, each action has the name of a command. */
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

/** The actions that a diagnosis can offer. No other feature offers `approve`. */
export type Fix = keyof typeof ACTION_LABELS;

/** The actions that messages can offer. */
export type Action = Exclude<Fix, 'approve'>;

export interface Message {
  readonly text: string;
  /** At most two actions, the most likely fix first. Error messages also have *Show Log*. */
  readonly actions: readonly Action[];
}
