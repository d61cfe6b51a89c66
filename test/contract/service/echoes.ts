import type { Fault } from '../../emulator/faults.ts';
import { pathOf, tokenPath } from './world.ts';

/**
 * Responses from failing services. Most of them repeat the key or the token, each in a different
 * place.
 */

export const key = 'C4nary-Key_0123456789';
export const token = 'c4nary-token_0123456789';
export const chat = pathOf('chat', false);
export const chatStream = pathOf('chat', true);
const json = { 'content-type': 'application/json' };
const secretsOf = (apiKey: string) => [apiKey, token].join(' ');
const base64 = (text: string) => Buffer.from(text).toString('base64url');

export interface Echo {
  /** The path of the request that gets this response. */
  readonly path: string;
  readonly fault: (apiKey: string) => Fault;
}

const identityError = (apiKey: string, more: object = {}) => ({
  errorCode: 'BXNIM0415E',
  errorMessage: `Key ${apiKey} not found`,
  ...more,
});
const inferenceError = (apiKey: string, more: object = {}) => ({
  errors: [{ code: 'x', message: `Bearer ${token} for ${apiKey}`, ...more }],
  trace: 'abc',
});
const on = (path: string, fault: Echo['fault']): Echo => ({ path, fault });

export const echoes: Readonly<Record<string, Echo>> = {
  'key rejected, key in the message': on(tokenPath, (k) => ({
    status: 400,
    json: identityError(k),
  })),
  'key in the error code': on(tokenPath, (k) => ({
    status: 400,
    json: identityError(k, { errorCode: k }),
  })),
  'key within the error code': on(tokenPath, (k) => ({
    status: 400,
    json: identityError(k, { errorCode: `X-${k}-Y` }),
  })),
  'half a key in the error code': on(tokenPath, (k) => ({
    status: 400,
    json: identityError(k, { errorCode: k.slice(0, 16) }),
  })),
  'key in the request ID': on(tokenPath, (k) => ({
    status: 401,
    json: identityError(k, { context: { requestId: k } }),
  })),
  'key in an HTML page': on(tokenPath, (k) => ({ status: 403, body: `<b>${k}</b>` })),
  'key in a 503, four times': on(tokenPath, (k) => ({ status: 503, body: k })),
  'key in a 429': on(tokenPath, (k) => ({ status: 429, json: identityError(k) })),
  'key in a redirect': on(tokenPath, (k) => ({
    redirectTo: `https://evil.example/?${encodeURIComponent(k)}`,
  })),
  'key in the host of a redirect': on(tokenPath, (k) => ({
    redirectTo: `https://${k}.evil.example/`,
  })),
  'key in a header': on(tokenPath, () => ({
    status: 400,
    headers: { 'retry-after': key, 'x-key': key },
  })),
  'key as the token': on(tokenPath, (k) => ({ json: { access_token: `${k}\n` } })),
  'key in broken JSON': on(tokenPath, (k) => ({ headers: json, body: `{"${k}` })),
  'key in broken HTTP': on(tokenPath, (k) => ({ raw: `${k}\r\n\r\n` })),
  'token response cut off': on(tokenPath, (k) => ({
    headers: json,
    body: `{"access_token":"${k}"}`,
    cutAfterBytes: 30,
  })),
  'token request reset': on(tokenPath, () => ({ resetBeforeHeaders: true })),
  'unanswered token request': on(tokenPath, () => ({ neverAnswers: true })),
  'oversized token response': on(tokenPath, () => ({ oversizedBytes: 70_000 })),
  'URL-encoded key': on(tokenPath, (k) => ({
    status: 400,
    json: identityError(encodeURIComponent(k), { errorCode: encodeURIComponent(k) }),
  })),
  'key in Base64': on(tokenPath, (k) => ({
    status: 400,
    json: identityError(base64(k), { errorCode: base64(k), context: { requestId: base64(k) } }),
  })),
  'token in Base64': on(chat, () => ({
    status: 400,
    json: inferenceError('', { code: base64(token) }),
  })),
  'key and token in a 400': on(chat, (k) => ({ status: 400, json: inferenceError(k) })),
  'token in the error code': on(chat, (k) => ({
    status: 400,
    json: inferenceError(k, { code: token }),
  })),
  'key in the error code of a generation': on(chat, (k) => ({
    status: 400,
    json: inferenceError(k, { code: k }),
  })),
  'token in the trace': on(chat, (k) => ({
    status: 400,
    json: { ...inferenceError(k), trace: token },
  })),
  'key and token in a 401, twice': on(chat, (k) => ({
    status: 401,
    json: inferenceError(k, { code: token }),
  })),
  'key and token in a 403': on(chat, (k) => ({ status: 403, body: secretsOf(k) })),
  'key and token in a 404': on(chat, (k) => ({ status: 404, body: secretsOf(k) })),
  'key and token in a 407': on(chat, (k) => ({ status: 407, body: secretsOf(k) })),
  'key and token in a 429, four times': on(chat, (k) => ({
    status: 429,
    json: inferenceError(k, { code: token }),
  })),
  'key and token in a 500, four times': on(chat, (k) => ({ status: 500, body: secretsOf(k) })),
  'key and token in a 200 with HTML': on(chat, (k) => ({
    body: secretsOf(k),
    headers: { 'content-type': 'text/html' },
  })),
  'key and token in broken JSON': on(chat, (k) => ({ headers: json, body: `{${secretsOf(k)}` })),
  'key and token in JSON of a different shape': on(chat, (k) => ({ json: { text: secretsOf(k) } })),
  'key and token in a content type': on(chat, () => ({
    headers: { 'content-type': `text/${key}${token}` },
  })),
  'token in a redirect': on(chat, () => ({ redirectTo: `https://${token}@evil.example/${token}` })),
  'token in the host of a redirect': on(chat, () => ({
    redirectTo: `https://${token}.evil.example/`,
  })),
  'response cut off': on(chat, (k) => ({ json: { text: secretsOf(k) }, cutAfterBytes: 30 })),
  'connection reset': on(chat, () => ({ resetBeforeHeaders: true })),
  'no headers': on(chat, () => ({ neverAnswers: true })),
  'broken HTTP': on(chat, () => ({ raw: `HTTP/1.1 ${token}\r\n\r\n` })),
  'token in an event': on(chatStream, (k) => ({
    headers: { 'content-type': 'text/event-stream' },
    body: `data: ${JSON.stringify(inferenceError(k, { code: token }))}\n\n`,
  })),
  'key and token in a broken event': on(chatStream, (k) => ({
    headers: { 'content-type': 'text/event-stream' },
    body: `data: {${secretsOf(k)}\n\n`,
  })),
  'stream cut off': on(chatStream, (k) => ({
    headers: { 'content-type': 'text/event-stream' },
    body: `data: {${secretsOf(k)}\n\n`,
    cutAfterBytes: 30,
    reset: true,
  })),
};
