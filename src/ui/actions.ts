/** The ways out that messages and the tooltip offer. All but `retry` are commands of that name. */
export type Action =
  | 'setUp'
  | 'setApiKey'
  | 'openSettings'
  | 'selectModel'
  | 'refreshToken'
  | 'diagnose'
  | 'retry';

export const ACTION_LABELS: Readonly<Record<Action, string>> = {
  setUp: 'Set Up Credentials',
  setApiKey: 'Set API Key',
  openSettings: 'Open Settings',
  selectModel: 'Select Model',
  refreshToken: 'Try Key Again',
  diagnose: 'Diagnose Connection',
  retry: 'Retry',
};
