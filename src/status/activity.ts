/**
 * The state of all generations of this window together.
 *
 * | Activity   | begin           | retry   | text       | end                           |
 * |------------|-----------------|---------|------------|-------------------------------|
 * | idle       | generating      | –       | –          | –                             |
 * | generating | one more        | waiting | same       | one fewer, idle after the last |
 * | waiting    | one more, waits | waiting | generating | as generating                 |
 */
export type Activity =
  | { readonly kind: 'idle' }
  | { readonly kind: 'generating'; readonly count: number }
  | {
      readonly kind: 'waiting';
      readonly count: number;
      /** Milliseconds until the next attempt. A function, because the wall clock can change. */
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
