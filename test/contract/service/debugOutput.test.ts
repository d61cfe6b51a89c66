import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const key = 'C4nary-Key_0123456789';
const token = 'c4nary-token_0123456789';

/** A script that runs in a separate process, because libraries read `DEBUG` when they load. */
const script = `
  import { endWorlds, pathOf, startWorld, tokenPath } from './test/contract/service/world.ts';
  const { emulator, generate } = await startWorld({ credentials: { apiKey: '${key}' } });
  const chat = pathOf('chat', false);
  emulator.faults.always(tokenPath, { json: { access_token: '${token}', expires_in: 3600 } });
  for (const fault of [{ status: 503 }, { resetBeforeHeaders: true }, { redirectTo: '/x' }]) {
    emulator.faults.next(chat, fault);
    await generate().catch(() => {});
  }
  emulator.faults.always(tokenPath, { status: 400 });
  await generate().catch(() => {});
  await endWorlds();
  console.log(emulator.requests.length);
`;

describe('the output of a process with DEBUG=*', () => {
  it('C16: contains neither the key nor the token', async () => {
    const env = { ...process.env, DEBUG: '*' };
    const argv = ['--input-type=module', '--eval', script];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, { env });
    assert.ok(Number.parseInt(stdout, 10) >= 8, stdout);
    assert.doesNotMatch(`${stdout}${stderr}`, /c4nary/i);
  });
});
