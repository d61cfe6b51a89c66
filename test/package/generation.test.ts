import assert from 'node:assert/strict';
import { provideEditor, shippedRuntime } from '../builtEditor.ts';
import { credentialsFor, modelId } from '../contract/service/world.ts';
import { startEmulator } from '../emulator/emulator.ts';

/** The build omits parts of libraries. The remaining parts must work, even if a request fails. */
describe('the shipped service client', () => {
  let hooks: ReturnType<typeof provideEditor>;
  before(() => {
    hooks = provideEditor();
  });
  after(() => hooks.deregister());

  it('generates and streams text, retries, and classifies failures', async () => {
    const runtime = await shippedRuntime();
    const emulator = await startEmulator({ namesRequestLimit: false });
    try {
      const { url } = emulator;
      const client = runtime.client(credentialsFor(url), {
        modelId,
        operation: 'chat',
        limits: { limit: 1, queue: 1, minIntervalMs: 0 },
      });
      const { text } = await client.generateText('Hello', {});
      let streamed = '';
      emulator.faults.next('/ml/v1/text/chat_stream', { status: 503 });
      await client.generateText('Hello', {}, { onText: (piece) => (streamed += piece) });
      assert.ok(text.length > 0 && streamed.length > 0);
      emulator.faults.next('/ml/v1/text/chat', { status: 400 });
      await assert.rejects(client.generateText('Hello', {}), { name: 'ServiceError' });
      emulator.faults.next('/ml/v1/text/chat', { redirectTo: 'http://127.0.0.1:9/' });
      await assert.rejects(client.generateText('Hello', {}), { kind: 'redirected' });
    } finally {
      runtime.dispose();
      await emulator.close();
    }
  });
});
