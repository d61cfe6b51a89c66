import assert from 'node:assert/strict';
import { FakeEditor, installEditor } from '../fakeEditor.ts';

describe('the setup of a new service', () => {
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => new FakeEditor());
  });
  after(() => hooks.deregister());

  const load = async () => ({
    ...(await import('../../../../src/connection/setUp/serviceEntry.ts')),
    ...(await import('../../../../src/connection/setUp/commandLine.ts')),
  });

  it('replaces only the entry with the same ID, ignoring case and spaces', async () => {
    const { withEntry } = await load();
    const others = [7, null, { word: 'other' }];
    const changed = { word: 'Acme', name: 'New' };
    assert.deepEqual(withEntry([...others, { word: ' acme', name: 'Old' }], changed), [
      ...others,
      changed,
    ]);
    assert.deepEqual(withEntry(others, changed), [...others, changed]);
  });

  for (const [line, parts] of [
    ['az account get-access-token', ['az', 'account', 'get-access-token']],
    ['"C:\\Program Files\\az.cmd" -o json', ['C:\\Program Files\\az.cmd', '-o', 'json']],
    ['printf \'%s\' "a b"c', ['printf', '%s', 'a bc']],
    ['', []],
    ['cat token | head', undefined],
    ['echo $(cat token)', undefined],
    ['a "b', undefined],
  ] as const) {
    const command = line || '(empty)';
    const title = parts
      ? `parses the command ${command} as ${JSON.stringify(parts)}`
      : `refuses the command ${command}`;
    it(title, async () => {
      const { splitCommand } = await load();
      assert.deepEqual(splitCommand(line), parts);
    });
  }
});
