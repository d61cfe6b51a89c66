import assert from 'node:assert/strict';
import { type Memento, Uri, window, workspace } from 'vscode';
import type { Credentials } from '../../src/service/credentials.ts';
import { Usage, type UsageDeps } from '../../src/usage/usage.ts';
import { close, fileUri } from './jobs.ts';

const credentials = { apiKey: 'a key' } as Credentials;
const request = {
  caller: 'chat',
  inputTokens: 1_200,
  outputTokens: 34,
  isEstimate: false,
} as const;

/** Counters in real files, and the table in a real editor. */
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
    const access = async () => ({ fingerprintOf: async () => 'one' });
    const update: UsageDeps['status']['update'] = ({ usageToday }) => {
      line = usageToday ?? (() => undefined);
    };
    return new Usage({ globalState, access, status: { update } }, storage());
  };

  it('sums up what two windows have used, in a document that needs no saving @nightly', async () => {
    const [one, other] = [open(), open()];
    await one.record(credentials, { ...request, model: 'maker/model' });
    await other.record(credentials, { ...request, model: 'maker/large', isEstimate: true });
    await other.setActive(credentials);
    assert.match(line() ?? '', /: 2 requests, ≈2,468 tokens$/);
    const files = await workspace.fs.readDirectory(Uri.joinPath(storage(), 'usage'));
    assert.equal(files.length, 2);
    await one.show(credentials);
    const document = window.activeTextEditor?.document;
    assert.equal(document?.isDirty, false);
    assert.equal(document?.languageId, 'markdown');
    assert.match(document?.getText() ?? '', /`maker\/large` \| chat \| 1 \| ≈1,200 \| ≈34 \|/);
    // The next one is another document, with what has come meanwhile.
    await one.record(credentials, { ...request, model: 'maker/new' });
    await one.show(credentials);
    assert.match(window.activeTextEditor?.document.getText() ?? '', /maker\/new/);
  });
});
