import assert from 'node:assert/strict';
import { FakeEditor, installEditor } from '../fakeEditor.ts';

describe('setting up a new service', () => {
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => new FakeEditor());
  });
  after(() => hooks.deregister());

  const load = async () => ({
    ...(await import('../../../../src/connection/setUp/serviceEntry.ts')),
    ...(await import('../../../../src/connection/setUp/commandLineParser.ts')),
    ...(await import('../../../../src/connection/setUp/serviceDraft.ts')),
  });

  it('replaces only the entry whose ID matches, regardless of case and spaces', async () => {
    const { withEntry } = await load();
    const others = [7, null, { word: 'other' }];
    const changed = { word: 'Acme', name: 'New' };
    assert.deepEqual(withEntry([...others, { word: ' acme', name: 'Old' }], changed), [
      ...others,
      changed,
    ]);
    assert.deepEqual(withEntry(others, changed), [...others, changed]);
  });

  const long = 'granite-3-8b-predictor-team-alpha.apps.cluster-7.eu-de.company.example';
  for (const [address, word, name] of [
    ['https://llm.acme.example:8443/v1', 'llm_acme_example_8443', 'llm.acme.example (8443)'],
    ['http://[::1]:11434', 'local_1_11434', 'localhost (11434)'],
    ['https://vendor/v1', 'vendor_2', 'vendor'],
    ['https://ibm/v1', 'ibm_2', 'ibm'],
    ['https://watsonx/v1', 'watsonx_2', 'watsonx'],
    [`https://${long}:65535/v1`, 'granite_3_8b_predictor_team_', `${long.slice(0, 56)} (65535)`],
  ] as const) {
    it(`derives an ID and a name from the address ${address}`, async () => {
      const { emptyDraft, newService } = await load();
      const made = newService({ ...emptyDraft(), address }, 3, undefined);
      assert.ok('service' in made, JSON.stringify(made));
      assert.deepEqual([made.service.word, made.service.name], [word, name]);
    });
  }

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
      : `rejects the command ${command}`;
    it(title, async () => {
      const { splitCommand } = await load();
      assert.deepEqual(splitCommand(line), parts);
    });
  }
});
