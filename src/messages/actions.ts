/** The ways out. All but the last four are commands of that name. */
export const ACTION_LABELS = {
  setUp: 'Set Up...',
  selectModel: 'Select Model...',
  refreshToken: 'Try Key Again',
  diagnose: 'Diagnose Connection',
  openSettings: 'Open Settings',
  openEnvFile: 'Open .env',
  retry: 'Retry',
  approve: 'Show What Needs Approval',
} as const;

/** The ways out that a diagnosis offers: also the one that only it can go. */
export type Fix = keyof typeof ACTION_LABELS;

/** The ways out that messages offer. */
export type Action = Exclude<Fix, 'approve'>;

export interface Message {
  readonly text: string;
  /** At most two, the fix of the most likely cause first; *Show Log* is always there beside them. */
  readonly actions: readonly Action[];
}
