import { type Answer, jsonAnswer } from './answer.ts';
import type { ReceivedRequest } from './requests.ts';
import { isRecord, type Service } from './service.ts';
import type { EmulatorSettings } from './settings.ts';

/**
 * Emulates all authentication methods except IBM Cloud's. They use tokens from an OAuth 2.0 server
 * or an on-premises platform, API keys that are sent to the model service, or headers that a
 * gateway requires. Each method with an exchange has an entry in `answersByPath`.
 */

export const oauthPath = '/oauth2/token';
export const platformPath = '/icp4d-api/v1/authorize';
const expiryPath = '/usermgmt/v1/user/tokenExpiry';

/**
 * Returns the response from the OAuth server or the platform, or undefined if the path belongs to
 * neither.
 */
export function otherAuthAnswer(request: ReceivedRequest, service: Service): Answer | undefined {
  return answersByPath(service.settings).get(request.path)?.(request, service);
}

/** True if the path belongs to the OAuth server or the platform. */
export function isOtherAuthPath(path: string, settings: EmulatorSettings): boolean {
  return answersByPath(settings).has(path);
}

function answersByPath({ oauth }: EmulatorSettings) {
  return new Map([
    [oauth.path ?? oauthPath, clientCredentialsAnswer],
    [platformPath, platformAnswer],
    [expiryPath, expiryAnswer],
  ]);
}

/**
 * Exchanges client credentials for a token, as defined in
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.4. The error codes are from section 5.2.
 */
function clientCredentialsAnswer(
  { method, form, headers }: ReceivedRequest,
  { settings, tokens, nowMs }: Service,
): Answer {
  const reject = (error: string, status = 400) =>
    jsonAnswer(status, { error, error_description: `The server says ${error}.` });
  if (method !== 'POST' || !form) return reject('invalid_request');
  if (form['grant_type'] !== 'client_credentials') return reject('unsupported_grant_type');
  const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1];
  // RFC 6749 forbids more than one authentication method per request.
  if (basic !== undefined && form['client_secret'] !== undefined) return reject('invalid_request');
  const [id, secret] =
    basic === undefined
      ? [form['client_id'], form['client_secret']]
      : Buffer.from(basic, 'base64').toString().split(':').map(formDecoded);
  if (id !== settings.account || !settings.apiKeys.includes(secret ?? '')) {
    return reject('invalid_client', 401);
  }
  const { scope, audience } = settings.oauth;
  if (scope !== form['scope']) return reject('invalid_scope');
  if (audience !== form['audience']) return reject('unauthorized_client');
  return jsonAnswer(200, {
    access_token: tokens.issue(settings.tokenLifeSeconds, nowMs()),
    token_type: 'Bearer',
    ...(settings.reportsTokenLifetime && { expires_in: settings.tokenLifeSeconds }),
  });
}

/**
 * Exchanges a user name and an API key for a token. The response doesn't include the token's
 * lifetime, because a separate endpoint reports when the token expires.
 */
function platformAnswer(
  { method, json }: ReceivedRequest,
  { settings, tokens, nowMs }: Service,
): Answer {
  const reject = (status: number, message: string) =>
    jsonAnswer(status, { _messageCode_: message, message });
  if (method !== 'POST' || !isRecord(json)) return reject(400, 'bad_request');
  const { username, api_key: apiKey } = json;
  if (username !== settings.account || !settings.apiKeys.includes(String(apiKey))) {
    return reject(401, 'User unauthorized to invoke this endpoint.');
  }
  const token = tokens.issue(settings.tokenLifeSeconds, nowMs());
  return jsonAnswer(200, { _messageCode_: '200', message: 'Success', token });
}

function expiryAnswer({ headers }: ReceivedRequest, { settings, tokens, nowMs }: Service): Answer {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  if (!settings.reportsTokenLifetime || tokens.stateOf(token) !== 'live') {
    return jsonAnswer(404, { message: 'Not found' });
  }
  return jsonAnswer(200, { exp: Math.floor(nowMs() / 1_000) + settings.tokenLifeSeconds });
}

function formDecoded(text: string): string {
  return new URLSearchParams(`x=${text}`).get('x') ?? '';
}

/**
 * Returns the API key that a request sends in place of a token, or undefined if the request has no
 * valid key. Returns an empty string if the service accepts all requests.
 */
export function keyIn(
  { headers }: ReceivedRequest,
  { settings: { apiKeys, keyHeader, isOpen } }: Service,
): string | undefined {
  if (isOpen) return '';
  const [, scheme, value] = /^(\w+) (.+)$/.exec(headers.authorization ?? '') ?? [];
  const sent = [
    scheme === 'ZenApiKey' ? value : undefined,
    keyHeader === 'authorization' ? value : headers[keyHeader],
  ];
  return apiKeys.find((key) => sent.includes(key));
}

/**
 * Returns the error response from a gateway in front of the inference service, or undefined if the
 * gateway forwards the request.
 */
export function gatewayAnswer(
  { headers }: ReceivedRequest,
  { settings: { demandedHeaders } }: Service,
): Answer | undefined {
  const isMissing = ([name, value]: readonly [string, string]) => headers[name] !== value;
  return Object.entries(demandedHeaders).some(isMissing)
    ? jsonAnswer(403, { error: { code: 'header_missing', message: 'A header is missing.' } })
    : undefined;
}
