import { ACTION_LABELS, type Action, type Fix } from '../messages/actions.ts';
import type { MessageContext } from '../messages/failureContext.ts';
import { attemptText, messageFor } from '../messages/messages.ts';
import {
  type LabelContext,
  listOf,
  needsSetting,
  resourceName,
  sendsSecret,
} from '../messages/settingLabels.ts';
import type { CheckFacts, CheckName, CheckResult } from '../service/checks/connectionChecks.ts';
import { commandOf } from '../service/service.ts';
import { amount } from '../status/statusView.ts';

/**
 * UI strings for diagnosis, token refreshes, and failure reports. The results of the checks that
 * send nothing are in `preliminaryChecks.ts`. The strings contain only fixed text, validated names,
 * and numbers. Pure.
 */

export interface ShownCheck {
  readonly title: string;
  readonly state: 'running' | 'passed' | 'warning' | 'failed' | 'not-run';
  /**
   * The result, or a notice while the check waits to retry. Empty if there is nothing to show.
   */
  readonly text: string;
  readonly fix?: Fix | undefined;
  /** The kind and details of the error, for the report. */
  readonly facts?: string;
  /** The parts of `facts` that come from outside the extension. */
  readonly externalText?: readonly string[];
}

/** The states in words, for users who can't see the icons. */
export const STATE_WORDS: Readonly<Record<ShownCheck['state'], string>> = {
  running: 'checking',
  passed: 'passed',
  warning: 'warning',
  failed: 'failed',
  'not-run': 'not run',
};

/** Titles of all checks, in the order in which they run. The first three send nothing. */
export const TITLES: Readonly<Record<CheckName | 'settings' | 'syntax' | 'hosts', string>> = {
  settings: 'Settings',
  syntax: 'Syntax',
  hosts: 'Hosts',
  'identity-host': 'Identity service',
  'service-host': 'Model service',
  token: 'Key and token',
  clock: 'Clock',
  access: 'Service access',
  'request-limit': 'Request limit',
};

/**
 * Results of checks that passed or have a warning. Each text must be true for every authentication
 * method. “Key” may stand for a client secret, but not for a password.
 */
const FOUND: Readonly<Record<CheckName, (facts: CheckFacts, labels: LabelContext) => string>> = {
  'identity-host': ({ host = 'It' }) => `${host} responds.`,
  'service-host': ({ host = 'It' }) => `${host} responds.`,
  token: ({ lifeMs }, { service }) => {
    const what =
      service && commandOf(service)
        ? 'The command printed a token'
        : 'The credentials were accepted';
    return lifeMs === undefined ? `${what}.` : `${what}. The token is valid for ${span(lifeMs)}.`;
  },
  clock: ({ clockAheadMs }) => clockText(clockAheadMs),
  access: ({ model, isUnchecked }, labels) => {
    const bearer = sendsSecret(labels) ? 'key' : 'token';
    // A service without project IDs may have models that it doesn't list, so the model can't be
    // checked.
    if (!needsSetting('projectId', labels)) {
      if (isUnchecked)
        return 'The service has no model list. To test the connection, generate some text.';
      const isKeyless = sendsSecret(labels) && !needsSetting('apiKey', labels);
      const accepted = isKeyless ? 'The service listed its models' : `The ${bearer} was accepted`;
      return `${accepted}. To test the model, generate some text.`;
    }
    const resource = resourceName(labels);
    const others = resource === 'deployment' ? [resource] : [resource, 'model'];
    const proven = isUnchecked
      ? `The ${bearer} was accepted. The ${listOf(others)} couldn’t be checked, because this model doesn’t support test requests`
      : `The ${listOf([bearer, ...others])} were accepted`;
    if (!model) return `${proven}.`;
    const [successor] = model.successors;
    const named = successor ? ` The service suggests ${successor} instead.` : '';
    const { stage, withdrawn, deprecated } = model;
    const lifecycle = withdrawn
      ? `The model ${stage === 'withdrawn' ? 'was' : 'will be'} withdrawn on ${withdrawn}`
      : `The model has been deprecated since ${deprecated}`;
    return `${proven}. ${lifecycle}.${named} Select another model.`;
  },
  'request-limit': ({ isPaused, requestLimit: { perSecond, left } = {} }) => {
    // This text must still be true after the pause, because it isn't updated once the check has
    // finished.
    if (isPaused) return 'The service asked for a pause, so new requests may be delayed.';
    if (perSecond === undefined) return 'The service doesn’t report a limit.';
    const rest = left === undefined ? '' : `, ${left} left`;
    return `${amount(perSecond, 'request')} per second${rest}.`;
  },
};

/** Returns the result of a network check as shown in the list and the report. */
export function shownCheck(result: CheckResult, context: MessageContext = {}): ShownCheck {
  const { check, state } = result;
  const title = TITLES[check];
  if (state === 'running' || state === 'not-run') {
    const retry = state === 'running' ? result.retry : undefined;
    return { title, state, text: retry ? `Retrying (${attemptText(retry)})` : '' };
  }
  if (state !== 'failed') {
    const fix = state === 'warning' ? warningFix(check, result.facts) : undefined;
    return { title, state, text: FOUND[check](result.facts, context), fix };
  }
  const { message: facts, details } = result.error;
  const isIdentity = check === 'identity-host' || check === 'token';
  const authHost = isIdentity ? details.host : context.authHost;
  const message = messageFor(result.error, { ...context, authHost, isCheck: true });
  // If the message has no action, the user has to fix the problem elsewhere and then check again.
  const fix = message?.actions[0] ?? 'retry';
  const { code, requestId, redirectHost } = details;
  const externalText = [code, requestId, redirectHost].filter((word) => word !== undefined);
  return { title, state, text: message?.text ?? '', fix, facts, externalText };
}

function clockText(aheadMs: number | undefined): string {
  if (aheadMs === undefined) return 'The identity service’s response doesn’t include the time.';
  const distance = Math.abs(aheadMs);
  if (distance < 60_000) return 'Your machine’s clock matches the identity service’s clock.';
  const where = `${span(distance)} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  const fact = `Your machine’s clock is ${where} the identity service’s clock.`;
  if (distance < 120_000) return fact;
  return `${fact} Tokens still work, but certificate checks may fail. Correct the clock.`;
}

/**
 * Returns the fix for a warning. Undefined if the only problem is that the model can't be checked,
 * because checking again wouldn't help.
 */
function warningFix(check: CheckName, { model }: CheckFacts): Action | undefined {
  if (check === 'clock' || check === 'request-limit') return 'retry';
  return model ? 'selectModel' : undefined;
}

const MINUTE_MS = 60_000;

/**
 * Units of time, largest first. `from` is the smallest number of minutes for which a unit is used.
 */
const UNITS = [
  { name: 'year', minutes: 525_600, from: 1_051_200 },
  { name: 'day', minutes: 1_440, from: 2_880 },
  { name: 'hour', minutes: 60, from: 120 },
  { name: 'minute', minutes: 1, from: 1 },
] as const;

function span(ms: number): string {
  const total = Math.round(ms / MINUTE_MS);
  const unit = UNITS.find(({ from }) => total >= from);
  return unit ? amount(Math.round(total / unit.minutes), unit.name) : 'less than a minute';
}

/** Returns the label of a fix. In a diagnosis, `retry` repeats the checks, not a generation. */
export function fixLabel(fix: Fix): string {
  return fix === 'retry' ? 'Check Again' : ACTION_LABELS[fix];
}

const ALL_PASSED: ShownCheck = {
  title: 'All checks passed',
  state: 'passed',
  text: 'All checks passed. Nothing was generated.',
};

/** Returns the conclusion: the first failure, or else the first warning, or else success. */
export function conclusionOf(checks: readonly ShownCheck[]): ShownCheck {
  const first = (wanted: ShownCheck['state']) => checks.find(({ state }) => state === wanted);
  return first('failed') ?? first('warning') ?? ALL_PASSED;
}

/**
 * UI strings for the *Diagnose Connection* list. Once all checks have finished, `placeholderAtEnd`
 * replaces `placeholder`, and the conclusion replaces `prompt`.
 */
export const LIST_TEXTS = {
  title: 'Diagnose Connection',
  placeholder: 'Checks and results',
  placeholderAtEnd: 'Press Enter to run the selected action',
  prompt:
    'Checking. Nothing is generated, and none of your text is sent. One check may send the word “hello”.',
  checks: 'Checks',
} as const;

export function conclusionTitle({ state, title }: ShownCheck): string {
  if (state === 'passed') return title;
  return `${state === 'failed' ? 'Cause' : 'Warning'}: ${title}`;
}

export const FINDING_CAUSE = 'Finding the cause';
export const REPAIRED = 'Your changes are saved. Do you want to retry?';
export const CHECKS_PASSED = 'All checks passed. Do you want to retry?';
export const GETTING_TOKEN = 'Getting a token';
export const NEW_TOKEN = 'The token was refreshed.';
export const NO_TOKEN = 'This service doesn’t use a token.';

export type Copied = 'done' | 'failed' | 'holds-secret';

export const COPY_LABELS: Readonly<Record<Copied | 'not-tried', string>> = {
  'not-tried': '$(copy) Copy Report',
  done: '$(check) Report Copied',
  failed: '$(warning) Not Copied: Try Again',
  'holds-secret': '$(warning) Not Copied: The Report Contains a Key, Token, or Project ID',
};

/** The text shown below *Copy Report* after the user picks it. */
export const COPY_DETAILS: Readonly<Record<Copied, string>> = {
  done: 'The report contains no key, token, project ID, prompt, response, or file name. It names the hosts that were checked.',
  failed: 'Access to the clipboard may be blocked. Click in the window and try again.',
  'holds-secret':
    'An address or error code may contain one of these values. Correct the address, or reload the window to clear past failures.',
};
