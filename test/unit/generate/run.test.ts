import assert from 'node:assert/strict';
import { nextRunState, type RunEvent, type RunState } from '../../../src/generate/runState.ts';

/** The table of `RunState`: a state, what happens to it, and what comes of it. */
const events: readonly RunEvent[] = [
  'restart',
  'continue',
  'text',
  'ended',
  'cut',
  'failed',
  'undone',
];
const table: Readonly<Record<string, readonly string[]>> = {
  new: ['replacing/new', 'writing/new', 'new', 'ended', 'cut', 'new', 'undone'],
  ended: ['replacing/ended', 'writing/ended', 'ended', 'ended', 'cut', 'ended', 'undone'],
  cut: ['replacing/cut', 'writing/cut', 'cut', 'ended', 'cut', 'cut', 'undone'],
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
    'cut',
    'new',
    'undone',
  ],
  'replacing/cut': [
    'replacing/cut',
    'writing/cut',
    'writing/ended',
    'ended',
    'cut',
    'cut',
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
    'cut',
    'ended',
    'undone',
  ],
  'writing/cut': ['replacing/cut', 'writing/cut', 'writing/cut', 'ended', 'cut', 'cut', 'undone'],
};

const stateNamed = (name: string): RunState => {
  const [kind, before] = name.split('/');
  return (before === undefined ? { kind } : { kind, before }) as RunState;
};

describe('the run of an answer', () => {
  for (const [from, row] of Object.entries(table)) {
    for (const [column, event] of events.entries()) {
      it(`${from}, ${event}: ${row[column]}`, () => {
        assert.deepEqual(nextRunState(stateNamed(from), event), stateNamed(row[column] ?? ''));
      });
    }
  }
});
