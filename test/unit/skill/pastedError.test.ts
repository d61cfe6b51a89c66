import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { messageFor } from '../../../src/messages/messages.ts';
import { TOKEN_EXPIRED } from '../../../src/service/errors.ts';
import {
  failureInEvent,
  identityFailure,
  inferenceFailure,
} from '../../../src/service/failures.ts';
import { wayOf } from '../../../src/service/token/identity.ts';
import { explanationOf, failureIn } from '../../../src/skill/pastedError.ts';
import { type Recording, recordings } from '../../emulator/recordings.ts';
import { ibm } from '../service/fixtures.ts';

const rules = { identityFailure, inferenceFailure, messageFor };
const kindIn = (pasted: string) => {
  const failure = failureIn(pasted, rules);
  return failure && [failure.kind, failure.details.code];
};
const explained = (pasted: string) => explanationOf(pasted, rules) ?? { text: '', fix: undefined };

/** The error answers that were recorded: the body, and what a request of ours makes of it. */
const errors = recordings.flatMap(({ name, request, response }: Recording) => {
  const { status, json, text, sse } = response;
  const event = sse?.find((one) => one.event === 'error')?.data;
  if (status < 400 && !event) return [];
  const body = text ?? JSON.stringify(event ?? json);
  const failureOf =
    request.path === wayOf(ibm).tokenEndpoint?.path ? identityFailure : inferenceFailure;
  const failure = event ? failureInEvent(event) : failureOf({ status, text: body });
  assert.ok(failure);
  return [{ name, body, json: event ?? json, failure }];
});

/** What becomes of an answer on its way into somebody's clipboard. */
const WAYS: Readonly<Record<string, (body: string, json: unknown) => string>> = {
  'as it is': (body) => body,
  'on several lines': (body, json) => (json ? JSON.stringify(json, null, 2) : body),
  'on several lines, in an input box': (body, json) =>
    json ? JSON.stringify(json, null, 2).replaceAll('\n', ' ') : body,
  'within a text': (body) =>
    `The skill “Ask” failed at 10:42:07. Details: ${body} (attempt 2 of 4)`,
  'as a text within JSON': (body) => JSON.stringify({ skill: 'Ask', error_details: body }),
  'as Python prints it': (body, json) => (json ? inspect(json, { depth: 9 }) : body),
  'with escaped line breaks': (body, json) =>
    JSON.stringify({ details: json ? JSON.stringify(json, null, 1) : body }),
};

describe('pasted error details', () => {
  it('are those of every recorded error answer', () => assert.ok(errors.length >= 18));

  for (const { name, body, json, failure } of errors) {
    for (const [way, pasted] of Object.entries(WAYS)) {
      it(`tell of what a request of ours would have met: ${name}, ${way}`, () => {
        const { kind, details } = failureIn(pasted(body, json), rules) ?? {};
        const { code, limit, actual } = failure.details;
        assert.equal(kind, failure.kind);
        // One that nobody knows is only a part of the shape.
        if (code !== 'X') assert.equal(details?.code, code);
        assert.deepEqual([details?.limit, details?.actual], [limit, actual]);
      });
    }
  }

  const EXPIRED = ['unauthorized', TOKEN_EXPIRED];
  const BARE_401 = ['unauthorized', undefined];
  const notMember =
    'Failed to find the IBMid-1 member in project_id p {"id":"WSCPA0000E","code":404}';
  const SHAPES: readonly (readonly [pasted: string, kind: unknown])[] = [
    ['{"code":401,"message":"Unauthorized","description":"jwt expired"}', EXPIRED],
    ['expired bearer token', EXPIRED],
    ['401 Unauthorized: the bearer token has expired', EXPIRED],
    ['Error: token expired', EXPIRED],
    ['{"error":"invalid_token","error_description":"The access token expired"}', EXPIRED],
    ['{"code":500,"message":"Skill failed: authentication_token_expired"}', EXPIRED],
    [`{"errors":[{"code":"${TOKEN_EXPIRED}","mess`, EXPIRED],
    ['401 Unauthorized', BARE_401],
    ['Unauthorized', BARE_401],
    ['HTTP/1.1 401', BARE_401],
    ['401', BARE_401],
    ['Error code: 401 - Invalid API key', BARE_401],
    ['{"status": 401, "statusText": "Unauthorized"}', BARE_401],
    ['<html><body><h1>401 Authorization Required</h1></body></html>', undefined],
    ['<html><title>401 Unauthorized</title></html>', BARE_401],
    ['the API key has expired (401 Unauthorized)', BARE_401],
    [
      '{"errorCode":"BXNIM0408E","errorMessage":"Provided refresh_token is expired"}',
      ['key-refused', 'BXNIM0408E'],
    ],
    [
      '{"error":{"code":"x","message":"y","request_id":"z"}, "status": 403}',
      ['forbidden', undefined],
    ],
    ['{"code":403,"message":"x","description":"y"}', ['forbidden', undefined]],
    ['<html>403 Forbidden</html>', ['intercepted', undefined]],
    [
      JSON.stringify({ errors: [{ code: 'any', message: notMember }], status_code: 403 }),
      ['project-unknown', undefined],
    ],
    ['429 Too Many Requests', ['rate-limited', undefined]],
    ['Too many requests, slow down', ['rate-limited', undefined]],
    ['<html><body>502 Bad Gateway</body></html>', ['server-failed', undefined]],
    ['Request failed with status code 504', ['server-failed', undefined]],
    ['407 Proxy Authentication Required', ['proxy', undefined]],
    ['', undefined],
    ['It does not work since this morning.', undefined],
    ['Took 500 ms for 4096 tokens in room 401', undefined],
  ];
  for (const [pasted, kind] of SHAPES) {
    it(`are read from ${pasted.slice(0, 60) || 'nothing'}`, () =>
      assert.deepEqual(kindIn(pasted), kind));
  }
});

describe('what is said of error details', () => {
  const expired = JSON.stringify({
    errors: [{ code: TOKEN_EXPIRED, message: '' }],
    status_code: 401,
  });

  it('says why a pasted bearer ends every hour, and which two connections renew themselves', () => {
    const { text, fix } = explained(expired);
    assert.match(text, /bearer token has expired.* pasted .* every hour/);
    assert.match(text, /Two kinds renew themselves: .*client credentials.*exchanges an API key/);
    assert.equal(text.match(/\.(?: |$)/g)?.length, 3, 'three sentences');
    assert.equal(fix, 'exportSkill');
  });

  it('names the five causes of a 401 that says no more', () => {
    const { text, fix } = explained('401 Unauthorized');
    for (const cause of ['.env file', 'quotes', 'API key', 'project ID', 'bearer token']) {
      assert.ok(text.includes(cause), cause);
    }
    assert.equal(fix, 'diagnose');
  });

  it('offers no way out that only the failed request has', () => {
    for (const { body } of errors) {
      const { text, fix } = explained(body);
      assert.doesNotMatch(fix ?? '', /retry|refreshToken|openEnvFile/);
      assert.match(text, /\.$/);
      assert.ok(text.length <= 320, text);
    }
  });

  const HOSTILE: readonly string[] = [
    '[h0stile](command:workbench.action.terminal.new)',
    '<img src="https://h0stile.example/x.png"> <script>h0stile</script>',
    '**h0stile** `h0stile` $(h0stile) \u202eh0stile\u2066 \u0000',
    '{"errors":[{"code":"h0stile","message":"h0stile"}],"trace":"h0stile","status_code":401}',
    `{"errors":[{"code":"${TOKEN_EXPIRED}","message":"h0stile"}],"trace":"h0stile","status_code":401}`,
    '{"errorCode":"h0stile","errorMessage":"h0stile 400 Bad Request"}',
    '{"errorCode":"BXNIM0000E","errorMessage":"h0stile","context":{"requestId":"h0stile"}}',
    '{"code":403,"message":"h0stile","description":"h0stile"}',
    '{"__proto__":{"kind":"h0stile"},"status":404}',
    `403 Forbidden ${'h0stile '.repeat(131_072)}`,
    `${'['.repeat(1_048_576)}h0stile`,
  ];
  for (const pasted of HOSTILE) {
    it(`F13: has nothing of ${JSON.stringify(pasted.slice(0, 40))}`, () => {
      assert.doesNotMatch(JSON.stringify(explained(pasted)), /h0stile/i);
    });
  }
});
