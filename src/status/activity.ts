/**
 * The combined state of all generations in this window, and the state after each event:
 *
 * | State      | begin      | retry   | text       | end                          |
 * |------------|------------|---------|------------|------------------------------|
 * | idle       | generating | idle    | idle       | idle                         |
 * | generating | generating | waiting | generating | generating; idle if the last |
 * | waiting    | waiting    | waiting | generating | generating; idle if the last |
 *
 * `begin` adds one to the count, and `end` subtracts one.
 */
export type Activity =
  | { readonly kind: 'idle' }
  | { readonly kind: 'generating'; readonly count: number }
  | {
      readonly kind: 'waiting';
      readonly count: number;
      /** Returns the milliseconds until the next attempt, independent of the wall clock. */
      readonly leftMs: () => number;
    };

export type ActivityEvent = 'begin' | 'text' | 'end' | { readonly retryInMs: () => number };

export function nextActivity(activity: Activity, event: ActivityEvent): Activity {
  const count = activity.kind === 'idle' ? 0 : activity.count;
  if (typeof event === 'object') {
    return count > 0 ? { kind: 'waiting', count, leftMs: event.retryInMs } : activity;
  }
  switch (event) {
    case 'begin':
      return activity.kind === 'waiting'
        ? { ...activity, count: count + 1 }
        : { kind: 'generating', count: count + 1 };
    case 'text':
      return activity.kind === 'waiting' ? { kind: 'generating', count } : activity;
    case 'end':
      return count > 1 ? { kind: 'generating', count: count - 1 } : { kind: 'idle' };
  }
}
