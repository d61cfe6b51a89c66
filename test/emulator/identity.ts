import { type Answer, jsonAnswer } from './answer.ts';
import type { ReceivedRequest } from './requests.ts';
import type { Service } from './service.ts';
import type { EmulatorSettings } from './settings.ts';

/** True if the path belongs to the identity service that exchanges API keys for tokens. */
export function isIdentityPath(path: string, { apiKeyGrant }: EmulatorSettings): boolean {
  if (path === apiKeyGrant.path) return true;
  return apiKeyGrant.path.startsWith('/identity/') && path.startsWith('/identity/');
}

/**
 * Returns the response to a token request: a new access token, or an error if the request is
 * invalid or the API key is unknown.
 */
export function identityAnswer(request: ReceivedRequest, service: Service): Answer {
  const { settings, tokens, nowMs } = service;
  const invalid = (property: string, value: unknown, status = 400) =>
    rejection(
      request,
      service,
      status,
      'BXNIM0106E',
      `Validation of property '${property}' with value '[${value}]' failed.`,
    );

  if (request.method !== 'POST') return invalid('method', request.method, 405);
  const type = request.headers['content-type'] ?? '';
  if (request.form === undefined) return invalid('content-type', type);
  const { grant_type, apikey } = request.form;
  if (grant_type !== settings.apiKeyGrant.grantType) return invalid('grant_type', grant_type ?? '');
  if (apikey === undefined) return invalid('apikey', '');
  if (!settings.apiKeys.includes(apikey)) {
    const text = 'Provided API key could not be found.';
    return rejection(request, service, 400, 'BXNIM0415E', text);
  }
  return jsonAnswer(200, {
    access_token: tokens.issue(settings.tokenLifeSeconds, nowMs()),
    refresh_token: 'not_supported',
    token_type: 'Bearer',
    expires_in: settings.tokenLifeSeconds,
    expiration: Math.floor(nowMs() / 1000) + settings.tokenLifeSeconds,
    scope: 'ibm openid',
  });
}

function rejection(
  request: ReceivedRequest,
  { identifier, nowMs }: Service,
  status: number,
  errorCode: string,
  errorMessage: string,
): Answer {
  const elapsedMs = 10;
  const context = {
    requestId: `abc-${identifier()}`,
    requestType: 'incoming.Identity_Token',
    userAgent: request.headers['user-agent'] ?? '',
    url: 'https://iam.cloud.ibm.com',
    instanceId: 'iamid-x',
    threadId: '1',
    host: 'iamid-x',
    startTime: timeText(nowMs()),
    endTime: timeText(nowMs() + elapsedMs),
    elapsedTime: `${elapsedMs}`,
    locale: 'en_US',
    clusterName: 'x',
  };
  return jsonAnswer(status, { errorCode, errorMessage, context });
}

/** Formats a time as the identity service does: `31.01.2026 23:59:59:999 UTC`. */
function timeText(ms: number): string {
  const [day = '', time = ''] = new Date(ms).toISOString().slice(0, -1).split('T');
  return `${day.split('-').reverse().join('.')} ${time.replace('.', ':')} UTC`;
}
