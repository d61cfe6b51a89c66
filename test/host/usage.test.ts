import assert from 'node:assert/strict';
import { type Memento, Uri, window, workspace } from 'vscode';
import { Usage, type UsageDeps } from '../../src/status/dailyUsage.ts';
import { connectionOf } from '../unit/service/fixtures.ts';
import { close, fileUri } from './jobs.ts';

const connection = connectionOf();
const request = {
  caller: 'chat',
  inputTokens: 1_200,
  outputTokens: 34,
  isEstimate: false,
} as const;

/** Tests the usage counters with real files, and the usage table in a real editor. */
describe('Show Usage', () => {
  const storage = () => fileUri('storage');
  let line: () => string | undefined;
  afterEach(async () => {
    await close();
    await workspace.fs.delete(storage(), { recursive: true });
  });
  const open = () => {
    const kept = new Map<string, unknown>();
    const globalState = {
      get: (name: string) => kept.get(name),
      update: async (name: string, value: unknown) => void kept.set(name, value),
    } as unknown as Memento;
    const connections = { fingerprintOf: async () => 'one' };
    const update: UsageDeps['status']['update'] = ({ usageToday }) => {
      line = usageToday ?? (() => undefined);
    };
    return new Usage({ globalState, connections, status: { update } }, storage());
  };

  it('shows the combined usage of two windows without marking the document as unsaved @nightly', async () => {
    const [one, other] = [open(), open()];
    await one.record(connection, { ...request, model: 'maker/model' });
    await other.record(connection, { ...request, model: 'maker/large', isEstimate: true });
    await other.setActive(connection);
    assert.match(line() ?? '', /: 2 requests, ≈2,468 tokens$/);
    const files = await workspace.fs.readDirectory(Uri.joinPath(storage(), 'usage'));
    assert.equal(files.length, 2);
    await one.show(connection);
    const document = window.activeTextEditor?.document;
    assert.equal(document?.isDirty, false);
    assert.equal(document?.languageId, 'markdown');
    assert.match(document?.getText() ?? '', /`maker\/large` \| chat \| 1 \| ≈1,200 \| ≈34 \|/);
    // The next call to `show` opens another document with the latest usage.
    await one.record(connection, { ...request, model: 'maker/new' });
    await one.show(connection);
    assert.match(window.activeTextEditor?.document.getText() ?? '', /maker\/new/);
  });
});
