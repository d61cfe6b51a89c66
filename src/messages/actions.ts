/** The ways out that messages offer. All but the last two are commands of that name. */
export type Action =
  | 'setUp'
  | 'setApiKey'
  | 'openSettings'
  | 'selectModel'
  | 'refreshToken'
  | 'diagnose'
  | 'openEnvFile'
  | 'retry';

/** The ways out that a diagnosis offers: also those that only it can go. */
export type Fix = Action | 'approve';

export const ACTION_LABELS: Readonly<Record<Fix, string>> = {
  setUp: 'Set Up Credentials',
  setApiKey: 'Set API Key',
  openSettings: 'Open Settings',
  selectModel: 'Select Model',
  refreshToken: 'Try Key Again',
  diagnose: 'Diagnose Connection',
  retry: 'Retry',
  approve: 'Show What Needs Approval',
  openEnvFile: 'Open .env',
};

export interface Message {
  readonly text: string;
  /** At most two, the fix of the most likely cause first; *Show Log* is always there beside them. */
  readonly actions: readonly Action[];
}
