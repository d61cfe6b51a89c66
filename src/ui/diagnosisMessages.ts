import type { CheckFacts, CheckName, CheckResult } from '../service/diagnose.ts';
import type { Action } from './actions.ts';
import type { ShownCheck } from './diagnosisView.ts';
import { messageFor } from './messages.ts';

/** Every sentence about a check on the network. Numbers and checked names only. Pure. */

const TITLES: Readonly<Record<CheckName, string>> = {
  'identity-host': 'Identity service',
  'service-host': 'Model service',
  token: 'API key and token',
  clock: 'Clock',
  access: 'Token, project and model',
  'request-limit': 'Request limit',
};

const FOUND: Readonly<Record<CheckName, (facts: CheckFacts) => string>> = {
  'identity-host': ({ host = 'It' }) => `${host} answers.`,
  'service-host': ({ host = 'It' }) => `${host} answers.`,
  token: ({ lifeMs }) =>
    lifeMs === undefined
      ? 'The key is accepted.'
      : `The key is accepted; the token lives ${minutes(lifeMs)}.`,
  clock: ({ clockAheadMs }) => clockText(clockAheadMs),
  access: ({ model }) => {
    if (!model) return 'All three are accepted.';
    const [successor] = model.successors;
    const named = successor ? ` The service names ${successor} in its place.` : '';
    const end = model.stage === 'withdrawn' ? model.since : model.until;
    const fate = end
      ? `the model ${model.stage === 'withdrawn' ? 'was' : 'will be'} withdrawn on ${end}`
      : `the model is deprecated since ${model.since}`;
    return `All three are accepted, but ${fate}.${named} Select another model.`;
  },
  'request-limit': ({ requestLimit: { perSecond, left } = {} }) => {
    if (perSecond === undefined) return 'The service did not say it.';
    const rest = left === undefined ? '' : `, ${left} left in this one`;
    return `${perSecond} ${perSecond === 1 ? 'request' : 'requests'} a second${rest}.`;
  },
};

const WARNING_FIXES: Readonly<Partial<Record<CheckName, Action>>> = {
  clock: 'retry',
  access: 'selectModel',
};

/** A result as the list and the report show it. */
export function shownCheck(result: CheckResult): ShownCheck {
  const { check, state } = result;
  const title = TITLES[check];
  switch (state) {
    case 'running':
    case 'not-run':
      return { title, state, text: '' };
    case 'passed':
      return { title, state, text: FOUND[check](result.facts) };
    case 'warning':
      return { title, state, text: FOUND[check](result.facts), fix: WARNING_FIXES[check] };
    case 'failed': {
      const message = messageFor(result.error);
      // Where the fix is not in the editor, it is to look again afterwards.
      const fix = message?.actions[0] ?? 'retry';
      return { title, state, text: message?.text ?? '', fix, facts: result.error.message };
    }
  }
}

function clockText(aheadMs: number | undefined): string {
  if (aheadMs === undefined) return 'The service did not say its time.';
  const distance = Math.abs(aheadMs);
  if (distance < 60_000) return 'It agrees with the clock of the service.';
  const where = `${minutes(distance)} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  const fact = `This machine's clock is ${where} the clock of the service.`;
  if (distance < 120_000) return fact;
  return `${fact} Tokens do not mind, since their life is counted, but certificates may fail. Set the clock.`;
}

function minutes(ms: number): string {
  const count = Math.round(ms / 60_000);
  if (count < 1) return 'less than a minute';
  return count === 1 ? '1 minute' : `${count} minutes`;
}
