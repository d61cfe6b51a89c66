import assert from 'node:assert/strict';
import { assertUntouched, startUnapproved } from '../../emulator/unapproved.ts';
import { endWorlds, failureOf, pathOf, startWorld, tokenPath, type World } from './world.ts';

/** Runs a call while every object has these properties, as if another extension had added them. */
async function polluted<Result>(
  properties: Readonly<Record<string, unknown>>,
  call: () => Promise<Result>,
): Promise<Result> {
  Object.assign(Object.prototype, properties);
  try {
    return await call();
  } finally {
    for (const name of Object.keys(properties)) Reflect.deleteProperty(Object.prototype, name);
  }
}

const requestsOf = ({ emulator }: World) =>
  emulator.requests.map(({ method, path, query, text, headers }) => {
    const { host: _, authorization = '', ...others } = headers;
    const scheme = authorization.split(' ', 1)[0];
    return { method, path, query: `${query}`, text, scheme, others };
  });

describe('properties that another extension adds to every object', () => {
  afterEach(endWorlds);

  it("don't change where or how a request is sent", async () => {
    const [clean, world] = [await startWorld(), await startWorld()];
    const foreign = await startUnapproved();
    const properties = { baseURL: foreign.url, headers: { foreign: 'yes' }, redirect: 'follow' };
    await clean.generate({ onText: () => {} });
    const { text } = await polluted(properties, () => world.generate({ onText: () => {} }));
    assert.notEqual(text, '');
    assert.deepEqual(requestsOf(world), requestsOf(clean));

    const chat = pathOf('chat', false);
    world.emulator.faults.next(chat, { redirectTo: `${foreign.url}${chat}` });
    const failure = await polluted(properties, () => failureOf(world.generate()));
    assert.equal(failure.kind, 'redirected');
    assert.equal(world.emulator.count(tokenPath), 1);
    assertUntouched(foreign);
  });
});
