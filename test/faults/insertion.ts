import assert from 'node:assert/strict';
import type { GenerateDeps } from '../../src/generate/runJob.ts';
import { SinkEditor } from '../contract/leaks/sinkEditor.ts';
import type { World } from '../contract/service/world.ts';
import { installEditor } from '../unit/credentials/fakeEditor.ts';
import { FakeDocument } from '../unit/document/fakeDocument.ts';
import { becomes } from './cell.ts';
import { type Duration, durationOf } from './duration.ts';

const PROMPT = 'prompt';

/** Generations that write into a document, run as the command runs them. */
export interface Insertions {
  /**
   * Cancels one while an edit is under way; what comes after the first text waits behind it.
   * @param texts what the service sends before it falls silent
   * @returns from the cancelling to the end of the command
   */
  cancelled(texts: readonly string[]): Promise<Duration>;
  end(): void;
}

export async function startInsertions({ client, credentials }: World): Promise<Insertions> {
  const editor = new SinkEditor();
  editor.text = PROMPT;
  const hooks = installEditor(() => editor);
  const { window } = await import('vscode');
  const { StreamWriter } = await import('../../src/document/streamWriter.ts');
  const { Job } = await import('../../src/generate/job.ts');
  const { Jobs } = await import('../../src/generate/jobs.ts');
  const { below } = await import('../../src/insert/placing.ts');
  const { runJob } = await import('../../src/generate/runJob.ts');
  const { captureTargets } = await import('../../src/document/target.ts');
  const { readSettings } = await import('../../src/settings.ts');
  const jobs = new Jobs();
  const { activeTextEditor } = window;
  const [target] = activeTextEditor ? captureTargets(activeTextEditor) : [];
  assert.ok(target);
  const place = { start: PROMPT.length, end: PROMPT.length, lead: '\n', tail: '' };

  const cancelled: Insertions['cancelled'] = async (texts) => {
    const page = new FakeDocument(PROMPT);
    const open = () => new StreamWriter(page, [place]);
    const stage = { previews: jobs.previews, rescue: () => assert.fail('rescued') };
    const job = new Job([target], readSettings(), { ...below, open }, stage);
    const failures: unknown[] = [];
    let came = 0;
    const onText = () => {
      came += 1;
    };
    const options: GenerateDeps = {
      jobs,
      credentials: async () => credentials,
      client: async () => client,
      startWatch: () => ({ onRetry() {}, onText, onDone() {}, onFailed() {} }),
      onUsage: () => {},
      signOut: () => new AbortController().signal,
      report: async (error) => failures.push(error) === 0,
    };
    const run = runJob(options, job, job.indices);
    await becomes('under way', () => came === texts.length && page.hasEditWaiting);
    const duration = await durationOf(() => {
      job.cancel();
      return page.turnUntil(run);
    });
    assert.deepEqual(
      failures.map((error) => Reflect.get(Object(error), 'kind')),
      ['cancelled'],
    );
    // What came stays.
    assert.equal(page.text, `${PROMPT}\n${texts.join('')}`);
    job.dispose();
    return duration;
  };
  return {
    cancelled,
    end: () => {
      jobs.dispose();
      hooks.deregister();
    },
  };
}
