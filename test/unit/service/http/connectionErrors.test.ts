import assert from 'node:assert/strict';
import type { ErrorDetails, ErrorKind } from '../../../../src/service/errors.ts';
import { networkFailure } from '../../../../src/service/http/connectionErrors.ts';
import { RequestNotSentError } from '../../../../src/service/http/reconnectingFetch.ts';
import { redirectHost } from '../../../../src/service/http/requestFailure.ts';
import { clientOn, credentials, FakeTime, failureOf, fakeNetwork } from '../fixtures.ts';

const broken = (code: string, more: object = {}) =>
  Object.assign(new Error(`text of ${code}`), { code, ...more });
const connect = { syscall: 'connect' };
const url = 'https://service.example/path';
const inHandshake = { host: 'service.example', port: 443, localAddress: undefined };

describe('a connection failure', () => {
  const cases: readonly [string, Error, ErrorKind, boolean][] = [
    ['a refused connection', broken('ECONNREFUSED', connect), 'unreachable', true],
    ['a busy name server', broken('EAI_AGAIN', { syscall: 'getaddrinfo' }), 'unreachable', true],
    ['a timeout while connecting', broken('ETIMEDOUT', connect), 'unreachable', true],
    [
      'an AggregateError with a timeout while connecting',
      Object.assign(new AggregateError([broken('ETIMEDOUT', connect)]), { code: 'ETIMEDOUT' }),
      'unreachable',
      true,
    ],
    ['an unknown host name', broken('ENOTFOUND'), 'unreachable', false],
    ['no network', broken('ENETUNREACH', connect), 'unreachable', false],
    ['no route to the host', broken('EHOSTUNREACH', connect), 'unreachable', false],
    ['a reset while connecting', broken('ECONNRESET', connect), 'unreachable', false],
    ['a reset after sending', broken('ECONNRESET', { syscall: 'read' }), 'connection-lost', false],
    [
      'a reset of an open connection to a proxy',
      broken('ECONNRESET', { syscall: 'read', address: '10.0.0.1', port: 3128 }),
      'connection-lost',
      false,
    ],
    [
      'a reset while connecting to a proxy',
      broken('ECONNRESET', { ...connect, address: '10.0.0.1', port: 3128 }),
      'proxy',
      true,
    ],
    [
      'a close during the TLS handshake with a proxy',
      broken('ECONNRESET', { ...inHandshake, host: 'proxy.example', port: 3128 }),
      'proxy',
      true,
    ],
    [
      'a connect timeout at a proxy',
      Object.assign(broken('UND_ERR_CONNECT_TIMEOUT'), {
        message: 'Connect Timeout Error (attempted address: proxy.example:3128, timeout: 10000ms)',
      }),
      'proxy',
      true,
    ],
    ['a hang-up', broken('ECONNRESET'), 'connection-lost', false],
    ['a broken pipe', broken('EPIPE', { syscall: 'write' }), 'connection-lost', false],
    ['a timeout after sending', broken('ETIMEDOUT', { syscall: 'read' }), 'connection-lost', false],
    ['invalid HTTP', broken('HPE_INVALID_CONSTANT'), 'connection-lost', false],
    ['a self-signed certificate', broken('DEPTH_ZERO_SELF_SIGNED_CERT'), 'certificate', false],
    [
      'a self-signed certificate in the chain',
      broken('SELF_SIGNED_CERT_IN_CHAIN'),
      'certificate',
      false,
    ],
    ['an expired certificate', broken('CERT_HAS_EXPIRED'), 'certificate', false],
    ['an unknown issuer', broken('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'certificate', false],
    [
      'a certificate for another host name',
      broken('ERR_TLS_CERT_ALTNAME_INVALID'),
      'certificate',
      false,
    ],
    ['a connect timeout', broken('UND_ERR_CONNECT_TIMEOUT'), 'unreachable', true],
    ['no common cipher', broken('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'), 'tls', false],
    ['a TLS alert', broken('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'), 'tls', false],
    ['a timeout during the TLS handshake', broken('ERR_TLS_HANDSHAKE_TIMEOUT'), 'tls', false],
    ['a close during the TLS handshake', broken('ECONNRESET', inHandshake), 'unreachable', false],
    [
      'a reset before anything was sent',
      new RequestNotSentError('', { cause: broken('ECONNRESET', { syscall: 'read' }) }),
      'unreachable',
      true,
    ],
    [
      'a closed socket',
      broken('UND_ERR_SOCKET', { socket: { bytesWritten: 9 } }),
      'connection-lost',
      false,
    ],
    ['an error without a code', new Error('key=abcdef'), 'connection-lost', false],
    ['an invalid code', broken('apikey=secret'), 'connection-lost', false],
  ];
  for (const [what, error, kind, nothingSent] of cases) {
    it(`I12: is reported as ${kind}, and ${nothingSent ? 'is' : "isn't"} retried: ${what}`, async () => {
      const failure = networkFailure(error, url);
      assert.deepEqual([failure.error.kind, failure.isTransient], [kind, nothingSent]);
      assert.ok(!failure.error.message.includes('text of'));
      assert.ok(!failure.error.message.includes('secret'));
      const time = new FakeTime();
      const network = fakeNetwork(() => error);
      const { client } = clientOn({ fetch: network.fetch, clock: time });
      const reported = failureOf(client.generateText('Hi', {}));
      await time.pass(8_000, 500);
      time.end();
      assert.deepEqual([(await reported).kind, network.sent.length], [kind, nothingSent ? 4 : 1]);
    });
  }
});

describe('a TLS failure', () => {
  const codeOf = (code: string) => networkFailure(broken(code), url).error.details.code;
  for (const code of ['WRONG_VERSION_NUMBER', 'PACKET_LENGTH_TOO_LONG', 'HTTP_REQUEST']) {
    it(`has the code ERR_SSL_WRONG_VERSION_NUMBER if OpenSSL reports ${code}`, () => {
      assert.equal(codeOf(`ERR_SSL_${code}`), 'ERR_SSL_WRONG_VERSION_NUMBER');
    });
  }
  it('keeps its OpenSSL code, with slashes replaced', () => {
    const alert = 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION';
    assert.equal(codeOf(alert), alert);
    const none = 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE';
    assert.equal(codeOf(none), 'ERR_SSL_SSL_TLS_ALERT_HANDSHAKE_FAILURE');
  });
});

describe('a proxy', () => {
  const cases: readonly [string, Error, ErrorDetails | undefined][] = [
    [
      "is recognized by a port that differs from the service's port",
      broken('ECONNREFUSED', { ...connect, address: '10.0.0.1', port: 3128 }),
      { code: 'ECONNREFUSED', proxy: '10.0.0.1:3128' },
    ],
    [
      'is recognized by the port in an AggregateError',
      Object.assign(
        new AggregateError([broken('ETIMEDOUT', { ...connect, address: '::1', port: 3128 })]),
        { code: 'ETIMEDOUT' },
      ),
      { code: 'ETIMEDOUT', proxy: '::1:3128' },
    ],
    [
      "is recognized by a host name that differs from the service's host name",
      broken('ENOTFOUND', { syscall: 'getaddrinfo', hostname: 'proxy.example' }),
      { code: 'ENOTFOUND', proxy: 'proxy.example' },
    ],
    [
      'is recognized by its response to the tunnel request',
      Object.assign(new Error('cancelled'), {
        cause: new Error('Proxy response (407) ?.== 200 when HTTP Tunneling'),
      }),
      { status: 407 },
    ],
    [
      'is reported without its name if the name contains unsafe characters',
      broken('ENOTFOUND', { syscall: 'getaddrinfo', hostname: 'me:1234@[x](y)' }),
      { code: 'ENOTFOUND' },
    ],
    [
      "isn't assumed if the service itself refuses the connection",
      broken('ECONNREFUSED', { ...connect, address: '10.0.0.2', port: 443 }),
      undefined,
    ],
    [
      "isn't assumed if the service's host name can't be resolved",
      broken('ENOTFOUND', { syscall: 'getaddrinfo', hostname: 'service.example' }),
      undefined,
    ],
  ];
  for (const [what, error, details] of cases) {
    it(what, () => {
      const failure = networkFailure(error, url).error;
      assert.equal(failure.kind, details ? 'proxy' : 'unreachable');
      if (details) assert.deepEqual(failure.details, details);
    });
  }
});

describe('a service that was down', () => {
  it('I10: is reached by the first attempt after it recovers', async () => {
    const time = new FakeTime();
    const down = broken('ECONNREFUSED', connect);
    const network = fakeNetwork((n) => (n < 3 ? down : {}));
    const { client } = clientOn({ fetch: network.fetch, clock: time });
    const call = client.generateText('Hi', {});
    await time.pass(3_100, 100);
    time.end();
    assert.deepEqual([(await call).text, network.sent.length], ['Hello.', 3]);
  });
});

describe('the origin check before each request', () => {
  const gates: readonly [string, ErrorKind, Partial<typeof credentials>][] = [
    ['blocks an unapproved host', 'host-not-approved', { serviceUrl: 'https://evil.example' }],
    [
      'blocks an unapproved port',
      'host-not-approved',
      { serviceUrl: 'https://service.example:8443' },
    ],
    ['blocks an unapproved scheme', 'host-not-approved', { serviceUrl: 'http://service.example' }],
    [
      'blocks an approved host with a trailing dot',
      'host-not-approved',
      { serviceUrl: 'https://service.example.' },
    ],
  ];
  for (const [what, kind, change] of gates) {
    it(what, async () => {
      const network = fakeNetwork(() => ({}));
      const changed = { credentials: { ...credentials, ...change } };
      const { client } = clientOn({ fetch: network.fetch }, changed);
      const failure = await failureOf(client.generateText('Hi', {}));
      assert.deepEqual([failure.kind, network.sent.length], [kind, 0]);
      assert.equal(failure.details.attempts, 0);
    });
  }
});

describe('the host of a redirect', () => {
  const cases: readonly [string | undefined, string | undefined][] = [
    ['https://evil.example/x', 'evil.example'],
    ['//evil.example:81/x', 'evil.example:81'],
    ['/elsewhere', 'good.example'],
    ['https://user:pass@evil.example/', 'evil.example'],
    ['https://[2001:db8::1]:81/', '[2001:db8::1]:81'],
    ['//$(zap).example/', undefined],
    ['http://`rm`.example', undefined],
    ['https://[x](command:quit).example', undefined],
    ["https://'a'*!&;=,{}.example", undefined],
    [`https://${'a.'.repeat(200)}example`, undefined],
    ['https://', undefined],
    ['command:workbench.action.quit', undefined],
    ['file:///etc/passwd', undefined],
    ['data:text/html,x', undefined],
    ['javascript:alert(1)', undefined],
    ['vscode://settings/x', undefined],
    ['', undefined],
    [undefined, undefined],
  ];
  for (const [location, host] of cases) {
    it(`to ${JSON.stringify(location)} is ${host}`, () => {
      assert.equal(redirectHost(location, 'https://good.example/path'), host);
    });
  }
});
