/**
 * The settings that only the user can set, so that a folder can't change what is sent. If you add
 * one, check the list under *Scopes* in docs/settings.md.
 */
export const applicationSettings = [
  'authUrl',
  'dailyTokenBudget',
  'maxConcurrentRequests',
  'minRequestInterval',
  'offerTool',
  'service',
  'services',
  'url',
] as const;

export type ApplicationSetting = (typeof applicationSettings)[number];
