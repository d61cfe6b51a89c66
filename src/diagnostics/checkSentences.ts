import type { Action } from '../messages/actions.ts';
import type { MessageContext } from '../messages/fixLocation.ts';
import { messageFor, retryText } from '../messages/messages.ts';
import type { CheckFacts, CheckName, CheckResult } from '../service/checks/diagnose.ts';
import type { ShownCheck } from './diagnosisView.ts';

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
      : `The key is accepted; the token lives ${span(lifeMs)}.`,
  clock: ({ clockAheadMs }) => clockText(clockAheadMs),
  access: ({ model, isUnproven }) => {
    const proven = isUnproven
      ? 'The token is accepted. Project and model could not be checked, since this model takes no call that generates nothing'
      : 'All three are accepted';
    if (!model) return `${proven}.`;
    const [successor] = model.successors;
    const named = successor ? ` The service names ${successor} in its place.` : '';
    const end = model.stage === 'withdrawn' ? model.since : model.until;
    const fate = end
      ? `the model ${model.stage === 'withdrawn' ? 'was' : 'will be'} withdrawn on ${end}`
      : `the model is deprecated since ${model.since}`;
    return `${proven}, but ${fate}.${named} Select another model.`;
  },
  'request-limit': ({ requestLimit: { perSecond, left } = {} }) => {
    if (perSecond === undefined) return 'The service did not say it.';
    const rest = left === undefined ? '' : `, ${left} left in this one`;
    return `${perSecond} ${perSecond === 1 ? 'request' : 'requests'} a second${rest}.`;
  },
};

/** A result as the list and the report show it. */
export function shownCheck(result: CheckResult, context: MessageContext = {}): ShownCheck {
  const { check, state } = result;
  const title = TITLES[check];
  switch (state) {
    case 'running':
      return { title, state, text: result.retry ? retryText(result.retry) : '' };
    case 'not-run':
      return { title, state, text: '' };
    case 'passed':
      return { title, state, text: FOUND[check](result.facts) };
    case 'warning':
      return {
        title,
        state,
        text: FOUND[check](result.facts),
        fix: warningFix(check, result.facts),
      };
    case 'failed': {
      const isIdentity = check === 'identity-host' || check === 'token';
      const authHost = isIdentity ? result.error.details.host : context.authHost;
      const message = messageFor(result.error, { ...context, authHost, isCheck: true });
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
  const where = `${span(distance)} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  const fact = `This machine's clock is ${where} the clock of the service.`;
  if (distance < 120_000) return fact;
  return `${fact} Tokens do not mind, since their life is counted, but certificates may fail. Set the clock.`;
}

/** A model that takes no call is not mended by looking again. */
function warningFix(check: CheckName, { model }: CheckFacts): Action | undefined {
  if (check === 'clock') return 'retry';
  return model ? 'selectModel' : undefined;
}

const MINUTE_MS = 60_000;

/** The largest unit of each span of time is one in which it still is a small number. */
const UNITS = [
  { name: 'year', minutes: 525_600, from: 1_051_200 },
  { name: 'day', minutes: 1_440, from: 2_880 },
  { name: 'hour', minutes: 60, from: 120 },
  { name: 'minute', minutes: 1, from: 1 },
] as const;

function span(ms: number): string {
  const total = Math.round(ms / MINUTE_MS);
  const unit = UNITS.find(({ from }) => total >= from);
  if (!unit) return 'less than a minute';
  const count = Math.round(total / unit.minutes);
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}
