import assert from 'node:assert/strict';
import { nextRunState, type RunEvent, type RunState } from '../../../src/generate/runState.ts';

/** The columns of `table`, which contains the next state for each state and event. */
const events: readonly RunEvent[] = [
  'restart',
  'continue',
  'text',
  'ended',
  'truncated',
  'failed',
  'undone',
];
const table: Readonly<Record<string, readonly string[]>> = {
  new: ['replacing/new', 'writing/new', 'new', 'ended', 'truncated', 'new', 'undone'],
  ended: ['replacing/ended', 'writing/ended', 'ended', 'ended', 'truncated', 'ended', 'undone'],
  truncated: [
    'replacing/truncated',
    'writing/truncated',
    'truncated',
    'ended',
    'truncated',
    'truncated',
    'undone',
  ],
  undone: [
    'replacing/undone',
    'replacing/undone',
    'undone',
    'undone',
    'undone',
    'undone',
    'undone',
  ],
  'replacing/new': [
    'replacing/new',
    'writing/new',
    'writing/ended',
    'ended',
    'truncated',
    'new',
    'undone',
  ],
  'replacing/truncated': [
    'replacing/truncated',
    'writing/truncated',
    'writing/ended',
    'ended',
    'truncated',
    'truncated',
    'undone',
  ],
  'replacing/undone': [
    'replacing/undone',
    'replacing/undone',
    'writing/ended',
    'undone',
    'undone',
    'undone',
    'undone',
  ],
  'writing/ended': [
    'replacing/ended',
    'writing/ended',
    'writing/ended',
    'ended',
    'truncated',
    'ended',
    'undone',
  ],
  'writing/truncated': [
    'replacing/truncated',
    'writing/truncated',
    'writing/truncated',
    'ended',
    'truncated',
    'truncated',
    'undone',
  ],
};

const stateNamed = (name: string): RunState => {
  const [kind, before] = name.split('/');
  return (before === undefined ? { kind } : { kind, before }) as RunState;
};

describe('the run of a response', () => {
  for (const [from, row] of Object.entries(table)) {
    for (const [column, event] of events.entries()) {
      it(`goes from ${from} to ${row[column]} on ${event}`, () => {
        assert.deepEqual(nextRunState(stateNamed(from), event), stateNamed(row[column] ?? ''));
      });
    }
  }
});
