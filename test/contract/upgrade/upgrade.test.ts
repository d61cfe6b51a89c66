import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { becomes } from '../../vscode/deadline.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { type Windows, windows } from '../leaks/window.ts';
import {
  connectionsIn,
  editorWith,
  outcomeOf,
  type StoredState,
  storesWith,
} from './storedState.ts';

const folder = join(import.meta.dirname, 'stored');
const states = readdirSync(folder).map(
  (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as StoredState,
);

/** Returns the versions that have a section in a changelog. */
function releasedIn(changelog: string): string[] {
  return [...changelog.matchAll(/^## (\d+\.\d+\.\d+\S*)/gm)].map(([, version = '']) => version);
}

describe('an upgrade', () => {
  let opened: Windows;
  before(() => {
    opened = windows(new SinkEditor());
  });
  after(() => opened.end());

  it('is tested from every released version', () => {
    const released = releasedIn(readFileSync('CHANGELOG.md', 'utf8'));
    const recorded = states.map(({ version }) => version);
    const missing = released.filter((version) => !recorded.includes(version));
    assert.deepEqual(missing, [], 'run with the code of that version: npm run record-state');
    assert.deepEqual(releasedIn('# Changelog\n\n## Unreleased\n\n## 1.2.3\n\n- 4.5.6\n'), [
      '1.2.3',
    ]);
  });

  for (const state of states) {
    const { version, settings, environment, workspaces, lastUsedTemplates } = state;
    describe(`from ${version}`, () => {
      for (const { outcome, workspaceState, ...workspace } of workspaces) {
        it(`keeps the credentials and the user's decisions, and doesn't prompt again: ${workspace.title}`, async () => {
          const editor = editorWith(workspace, settings);
          const stores = storesWith(state, workspaceState);
          const connections = await connectionsIn(opened, editor, stores, environment);
          assert.deepEqual(
            JSON.parse(JSON.stringify(outcomeOf(await connections.peek()))),
            outcome,
          );
          assert.ok(await connections.for());
          assert.deepEqual(editor.sunk.get('notification'), []);
          assert.deepEqual(editor.sunk.get('input box'), []);
        });

        const isExternal = outcome.source !== 'editor';
        it(`shows the service as ready in the status bar before any command is run: ${workspace.title}`, async () => {
          // If the credentials come from outside the editor, the editor's settings aren't needed.
          const editor = editorWith(workspace, isExternal ? {} : settings);
          const window = await opened.start(editor, storesWith(state, workspaceState));
          try {
            await becomes('painted', () =>
              editor.textOf('status text').includes('ready, no token yet'),
            );
          } finally {
            await window.close();
          }
        });
      }

      it('keeps the list of recently used templates', async () => {
        const lastUsed = await import('../../../src/templates/templateNames.ts');
        const { globalState } = storesWith(state, {});
        assert.deepEqual(lastUsed.lastUsedTemplates(globalState), lastUsedTemplates);
      });
    });
  }
});
