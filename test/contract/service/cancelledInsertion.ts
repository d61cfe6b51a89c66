import assert from 'node:assert/strict';
import type { ErrorKind } from '../../../src/service/errors.ts';
import type { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { installEditor } from '../../unit/connection/fakeEditor.ts';
import { FakeDocument } from '../../unit/editor/fakeDocument.ts';
import { connectionOf } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import type { StuckCall } from './cancelPhases.ts';
import type { World } from './world.ts';

const PROMPT = 'prompt';

/**
 * Starts a generation that writes into a document, as *Generate from selection* does. Resolves when
 * all chunks have arrived but the edit with the first chunk is still in progress.
 * @param texts the chunks that the service sends before it stalls
 */
export async function startInsertion(
  { client, credentials, limiter }: World,
  texts: readonly string[],
): Promise<Omit<StuckCall, 'world'>> {
  const editor = new SinkEditor();
  editor.text = PROMPT;
  const hooks = installEditor(() => editor);
  const { window } = await import('vscode');
  const { StreamWriter } = await import('../../../src/editor/streamWriter.ts');
  const { Job } = await import('../../../src/generate/job.ts');
  const { RecentJobs } = await import('../../../src/generate/recentJobs.ts');
  const { below } = await import('../../../src/editor/inPlaceModes.ts');
  const { runJob } = await import('../../../src/generate/runJob.ts');
  const { captureTargets } = await import('../../../src/editor/capturedSelection.ts');
  const jobs = new RecentJobs();
  const runtime = { client: () => client, limit: () => limiter } as unknown as ServiceRuntime;
  const { activeTextEditor } = window;
  const [target] = activeTextEditor ? captureTargets(activeTextEditor) : [];
  assert.ok(target);
  const place = { start: PROMPT.length, end: PROMPT.length, lead: '\n', tail: '' };
  const page = new FakeDocument(PROMPT);
  const open = () => new StreamWriter(page, [place]);
  const stage = { previews: jobs.previews, rescue: () => assert.fail('rescued') };
  const job = new Job([target], undefined, { ...below, open }, stage);
  const kinds: ErrorKind[] = [];
  let receivedCount = 0;
  const onText = () => {
    receivedCount += 1;
  };
  const run = runJob(
    {
      jobs,
      connections: {
        for: async () => connectionOf({ credentials }, runtime),
        active: undefined,
        signOutSignal: new AbortController().signal,
      },
      startWatch: () => ({ onRetry: () => () => 0, onText, onDone() {}, onFailed() {} }),
      onUsage: () => {},
      report: async (error) => kinds.push(Reflect.get(Object(error), 'kind')) === 0,
    },
    job,
    job.indices,
  );
  await becomes('an edit in progress', () => receivedCount === texts.length && page.hasEditWaiting);
  const over = Promise.withResolvers<ErrorKind>();
  return {
    kind: over.promise,
    cancel: () => {
      job.cancel();
      over.resolve(
        page.turnUntil(run).then(() => {
          assert.equal(kinds.length, 1);
          // The text that arrived before the cancellation is kept.
          assert.equal(page.text, `${PROMPT}\n${texts.join('')}`);
          return kinds[0] ?? assert.fail();
        }),
      );
    },
    release: () => {
      job.dispose();
      jobs.dispose();
      hooks.deregister();
    },
  };
}
