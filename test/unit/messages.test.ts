import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type ErrorKind, ServiceError } from '../../src/service/errors.ts';
import { messageFor } from '../../src/ui/messages.ts';
import { missingText } from '../../src/ui/settingMessages.ts';

/** Every kind of the union, read from its source, since a type is gone when the test runs. */
const kinds = [
  ...readFileSync('src/service/errors.ts', 'utf8')
    .split('export interface', 1)
    .join()
    .matchAll(/\| '([a-z-]+)'/g),
].map((match) => match[1] as ErrorKind);

const full = {
  status: 429,
  code: 'ECONNREFUSED',
  host: 'model.example',
  attempts: 4,
  retryAfterMs: 90_000,
  names: ['stop_sequences'],
  limit: 4,
  actual: 5,
  phase: 'headers',
} as const;

describe('messages', () => {
  it('finds the kinds', () => assert.ok(kinds.length > 30));

  for (const kind of kinds.filter((one) => one !== 'cancelled')) {
    it(`says what happened and what to do for ${kind}`, () => {
      for (const error of [new ServiceError(kind), new ServiceError(kind, full)]) {
        const message = messageFor(error);
        assert.ok(message);
        assert.match(message.text, /^[A-Za-z0-9].*\.$/);
        assert.ok(message.text.length <= 200, `${message.text.length}: ${message.text}`);
        assert.ok(message.actions.length <= 2);
        assert.doesNotMatch(message.text, /\[|\]\(|\bunauthorized\b|axios/i);
      }
      const { text } = messageFor(new ServiceError(kind, full)) ?? { text: '' };
      assert.doesNotMatch(text, /undefined|NaN/);
    });
  }

  it('is silent about what the user cancelled', () => {
    assert.equal(messageFor(new ServiceError('cancelled')), undefined);
  });

  it('does not say that a request may have run which was never sent', () => {
    const waited = messageFor(new ServiceError('timeout', { phase: 'total', attempts: 0 }));
    assert.match(waited?.text ?? '', /^Nothing was sent/);
    const sent = messageFor(new ServiceError('timeout', { phase: 'total', attempts: 2 }));
    assert.match(sent?.text ?? '', /was not done in time\. The request may have run/);
  });

  it('shows nothing of an error that is not ours', () => {
    const message = messageFor(new Error('apikey=hunter2-hunter2'));
    assert.doesNotMatch(message?.text ?? '', /hunter2/);
  });

  it('names exactly the settings that are missing', () => {
    const rest = 'before it can generate. Nothing was sent.';
    assert.equal(missingText(['apiKey']), `Hosted Model needs an API key ${rest}`);
    assert.equal(
      missingText(['projectId', 'url']),
      `Hosted Model needs a project ID and a service URL ${rest}`,
    );
    assert.equal(
      missingText(['apiKey', 'projectId', 'url']),
      `Hosted Model needs an API key, a project ID and a service URL ${rest}`,
    );
  });
});
