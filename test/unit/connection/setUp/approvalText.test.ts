import assert from 'node:assert/strict';
import { parseDestination } from '../../../../src/connection/approvedDestination.ts';
import { approvalText } from '../../../../src/connection/setUp/setUpMessages.ts';
import { readServices } from '../../../../src/service/addedServices.ts';
import { services } from '../../../../src/service/builtInServices.ts';
import type { Service } from '../../../../src/service/service.ts';

/**
 * Tests the text that setup shows before saving. The text starts with a warning, if any, and names
 * everything that the user approves by saving.
 */

function serviceOf(change: object): Service {
  const entry = {
    ...{ word: 'acme', api: 'openai', defaultModel: 'coder' },
    authentication: { kind: 'apiKey' },
    ...change,
  };
  return readServices([entry]).own[0] ?? assert.fail();
}

function textFor(service: Service, program?: string): string {
  const target = parseDestination(service.authUrl, service.url, service);
  assert.ok('authHost' in target);
  return approvalText(target, { settings: { service }, program });
}

describe('the approval text shown during setup', () => {
  it('starts with a warning if the connection to another machine is unencrypted', () => {
    const withKey = serviceOf({ url: 'http://llm.corp:8000/v1' });
    assert.match(
      textFor(withKey),
      /^The selected text and API key are sent unencrypted to llm\.corp:8000 · /,
    );
    const without = serviceOf({ url: 'http://llm.corp', authentication: { kind: 'none' } });
    assert.match(textFor(without), /^The selected text is sent unencrypted to llm\.corp · /);
    for (const url of ['https://llm.corp', 'http://127.0.0.1:11434/v1', 'http://localhost:8000']) {
      assert.doesNotMatch(textFor(serviceOf({ url })), /unencrypted/);
    }
  });

  it("can't be created for an http address if the service requires https", () => {
    for (const service of [services[0], serviceOf({ authentication: { kind: 'cloudPak' } })]) {
      const target = parseDestination(service.authUrl, 'http://llm.corp', service);
      assert.deepEqual('problem' in target && target.problem, 'not-https');
    }
  });

  it('names the program, the host, and the headers, but not the header values', () => {
    const service = serviceOf({
      url: 'https://llm.acme.example/v1',
      authentication: { kind: 'command', command: ['az', 'account', 'a b'] },
      headers: { 'X-Team': 'red-team', 'X-Key': { secret: 'gateway key' } },
    });
    const text = textFor(service, '/usr/bin/az');
    assert.match(text, /Hosted Model runs \/usr\/bin\/az account "a b"/);
    assert.match(text, /Selected text goes to llm\.acme\.example/);
    assert.match(text, /headers X-Team and X-Key/);
    assert.doesNotMatch(text, /red-team|gateway key/);
  });
});
