import type { ErrorDetails } from '../service/errors.ts';
import type { Message } from './actions.ts';

/** Every sentence about a parameter that cannot be sent. Names, words and numbers of ours only. Pure. */

const BOUNDS: Readonly<Record<NonNullable<ErrorDetails['bound']>, string>> = {
  least: 'at least',
  above: 'more than',
  most: 'at most',
};

export function parameterRefused(details: ErrorDetails): Message {
  const start =
    details.status === undefined ? 'Nothing was sent' : 'The service refused the request';
  return {
    text: `${start}: ${parameterFlawText(details)}. Change it in the settings.`,
    actions: ['openSettings'],
  };
}

/** "1,024", "0.5"; with an exponent where nobody could count the digits. */
export function plainNumber(value: number): string {
  return Math.abs(value) < 1e15
    ? value.toLocaleString('en', { maximumFractionDigits: 20 })
    : String(value);
}

/** What is wrong with it, as a part of a sentence. */
export function parameterFlawText(details: ErrorDetails): string {
  const { names: [name] = [], expected, actual, limit } = details;
  if (name === undefined) return 'a parameter is out of its range';
  const isCounted = name === 'stop_sequences';
  const given =
    actual === undefined
      ? name
      : `${name} ${isCounted ? 'has' : 'is'} ${plainNumber(actual)}${isCounted ? ' entries' : ''}, and`;
  if (expected) return `${given} must be ${expectedText(details)}`;
  return limit === undefined
    ? `${name} is out of its range`
    : `${given} ${limitText(details, limit)}`;
}

function limitText(
  { names: [name, other] = [], bound = 'most', limitOf, isEstimate }: ErrorDetails,
  limit: number,
): string {
  const range = `${BOUNDS[bound]} ${isEstimate ? 'about ' : ''}${plainNumber(limit)}`;
  switch (limitOf) {
    case 'chat':
    case 'generation':
      return `the ${limitOf} operation takes ${range}`;
    case 'model':
      return `the model takes ${range}`;
    case 'room':
      return `the text leaves room for ${range} in this model`;
    default: {
      const verb = name === 'stop_sequences' ? 'may have' : 'must be';
      return `${verb} ${range}${other === undefined ? '' : `, which is ${other}`}`;
    }
  }
}

function expectedText({ expected, choices = [] }: ErrorDetails): string {
  switch (expected) {
    case 'integer':
      return 'a whole number';
    case 'boolean':
      return 'true or false';
    case 'choice':
      return choices.join(' or ');
    case 'texts':
      return 'a list of texts, none of them twice';
    case 'object':
      return `an object that holds nothing but ${choices.join(' and ')}`;
    default:
      return 'a number';
  }
}
