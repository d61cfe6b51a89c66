import assert from 'node:assert/strict';
import { type Activity, type ActivityEvent, nextActivity } from '../../../src/status/activity.ts';

describe('activity', () => {
  const leftMs = () => 1_000;
  const idle: Activity = { kind: 'idle' };
  const one: Activity = { kind: 'generating', count: 1 };
  const two: Activity = { kind: 'generating', count: 2 };
  const oneWaits: Activity = { kind: 'waiting', count: 1, leftMs };
  const twoWait: Activity = { kind: 'waiting', count: 2, leftMs };
  const retry: ActivityEvent = { retryInMs: leftMs };
  const transitions: [from: Activity, event: ActivityEvent, to: Activity][] = [
    [idle, 'begin', one],
    [idle, retry, idle],
    [idle, 'text', idle],
    [idle, 'end', idle],
    [one, 'begin', two],
    [one, retry, oneWaits],
    [one, 'text', one],
    [one, 'end', idle],
    [two, retry, twoWait],
    [two, 'end', one],
    [oneWaits, 'begin', twoWait],
    [oneWaits, retry, oneWaits],
    [oneWaits, 'text', one],
    [oneWaits, 'end', idle],
    [twoWait, 'text', two],
    [twoWait, 'end', one],
  ];
  for (const [from, event, to] of transitions) {
    const named = ({ ...activity }: Activity) => Object.values(activity).slice(0, 2).join(' ');
    it(`goes from ${named(from)} to ${named(to)} on ${event === retry ? 'retry' : event}`, () => {
      assert.deepEqual(nextActivity(from, event), to);
    });
  }
});
