import type { ErrorDetails, ErrorKind } from '../service/errors.ts';
import type { Action, Message } from './actions.ts';
import type { FailureContext, MessageBuilder } from './failureContext.ts';
import { parenthesized } from './rejectionMessages.ts';

/** The messages for network failures. Pure. */

const LATE: Readonly<Record<'connect' | 'start' | 'idle' | 'total', string>> = {
  connect: 'didn’t respond in time',
  start: 'didn’t respond in time',
  idle: 'stopped sending data',
  total: 'took too long',
};

const ELSEWHERE: readonly Action[] = ['retry', 'diagnose'];
const CHECK_NETWORK = 'Check your network and VS Code’s proxy settings.';
const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';
const UNKNOWN_NAME = 'ENOTFOUND';
const OTHER_HOST = /ALTNAME|HOSTNAME/;

export const NETWORK_MESSAGES = {
  unreachable: (details, where) => ({
    text: unreachable(details, where),
    actions: isUnknownHost(details) ? fixAddress(where, 'retry') : ELSEWHERE,
  }),
  offline: () => ({
    text: `Couldn’t reach the identity service or the model service. Your machine may be offline or behind a proxy. ${CHECK_NETWORK}`,
    actions: ELSEWHERE,
  }),
  'connection-lost': ({ host = 'the service' }, { isSafeToRepeat }) => ({
    text: isSafeToRepeat
      ? `The connection to ${host} was lost. A firewall or proxy may have closed it. ${CHECK_NETWORK}`
      : `The connection to ${host} was lost after the request was sent. The service may have processed the request, so it wasn’t sent again.`,
    actions: ELSEWHERE,
  }),
  certificate: (details, where) => ({
    text: certificate(details, where),
    actions: OTHER_HOST.test(details.code ?? '') ? fixAddress(where) : ELSEWHERE,
  }),
  tls: ({ host = 'The service', code }, where) =>
    code === NO_TLS
      ? {
          text: `${host} responded without TLS. Check VS Code’s proxy settings and the address in ${where.address.name}.`,
          actions: fixAddress(where),
        }
      : {
          text: `The TLS handshake with ${host} failed${parenthesized(code)}. A firewall or proxy may have interfered. ${CHECK_NETWORK}`,
          actions: ELSEWHERE,
        },
  proxy: (details) => ({ text: proxy(details), actions: ELSEWHERE }),
  timeout: ({ host, phase = 'start' }, { isSafeToRepeat }) => {
    const what = `${host ?? 'The service'} ${LATE[phase]}.`;
    const why = phase === 'start' ? ' The model may be loading or overloaded.' : '';
    return {
      text: isSafeToRepeat
        ? `${what} A firewall or proxy may be blocking the request. ${CHECK_NETWORK}`
        : `${what}${why} The service may have processed the request, so it wasn’t sent again.`,
      actions: ELSEWHERE,
    };
  },
  redirected,
} satisfies Partial<Record<ErrorKind, MessageBuilder>>;

function redirected({ redirectHost }: ErrorDetails, where: FailureContext): Message {
  const { address, isIdentity, isBuiltInHost } = where;
  const asked = isIdentity ? 'The identity service' : 'The service';
  const to = redirectHost ?? 'another address';
  const what = `${asked} redirected the request to ${to}, but redirects aren’t followed.`;
  const cause = 'If your network requires a login, log in through a browser.';
  const end = isBuiltInHost ? '' : ` Otherwise, check the address in ${address.name}.`;
  return { text: `${what} ${cause}${end}`, actions: fixAddress(where) };
}

function unreachable(
  details: ErrorDetails,
  { address: { name }, isBuiltInHost }: FailureContext,
): string {
  const { host = 'the service', code, phase } = details;
  if (phase === 'connect') {
    const why = parenthesized(code) || ' in time';
    return `Couldn’t connect to ${host}${why}, so nothing was sent. A firewall or proxy may be blocking the connection. ${CHECK_NETWORK}`;
  }
  if (isUnknownHost(details)) {
    return isBuiltInHost
      ? `Couldn’t find the host ${host}. Your machine may be offline. Check your network.`
      : `Couldn’t find the host ${host}. Check the address in ${name}, or connect to your company’s network.`;
  }
  if (code === 'EAI_AGAIN') {
    return `Couldn’t look up the host ${host}. Your machine may be offline. Check your network.`;
  }
  const settings = isBuiltInHost
    ? 'your network and VS Code’s proxy settings'
    : `your network, VS Code’s proxy settings, and the address in ${name}`;
  const advice =
    code === 'ECONNREFUSED'
      ? `The service may be down. Otherwise, check ${settings}`
      : `Check ${settings}`;
  return `Couldn’t reach ${host}${parenthesized(code)}. ${advice}.`;
}

function certificate(
  { host = 'the service', code = '' }: ErrorDetails,
  { address, isBuiltInHost }: FailureContext,
): string {
  if (/EXPIRED|NOT_YET_VALID/.test(code)) {
    return `The certificate for ${host} has expired or isn’t valid yet${parenthesized(code)}. Check your machine’s clock, or contact the host’s administrator.`;
  }
  if (OTHER_HOST.test(code)) {
    const check = isBuiltInHost
      ? 'your network'
      : `your network and the address in ${address.name}`;
    return `The certificate from ${host} is for a different host${parenthesized(code)}. Check ${check}.`;
  }
  return `The certificate for ${host} isn’t trusted${parenthesized(code)}. If your company has its own root certificate, install it in the operating system.`;
}

/** True if DNS has no entry for the host, which may be misspelled or on a private network. */
function isUnknownHost({ code, phase }: ErrorDetails): boolean {
  return code === UNKNOWN_NAME && phase !== 'connect';
}

/**
 * Returns the actions to offer if an address may be wrong. Doesn't offer to change a built-in
 * address, because the user couldn't have misspelled it.
 * @param otherwise the second action, which helps if the address is correct
 */
function fixAddress(
  { address, isBuiltInHost }: FailureContext,
  otherwise: Action = 'diagnose',
): readonly Action[] {
  return isBuiltInHost ? ELSEWHERE : [address.value, otherwise];
}

/** Matches the error codes for a proxy that `fetch` can't use, such as a SOCKS proxy. */
const UNUSABLE_PROXY = /^(UND_ERR_INVALID_ARG|ERR_INVALID_URL)$/;

/** Describes a proxy failure. If `status` is set, the response came from the proxy itself. */
function proxy({ status, code, proxy: name, host = 'the service' }: ErrorDetails): string {
  if (status === 407) {
    return 'The proxy requires authentication (407). Add your user name and password to VS Code’s proxy settings.';
  }
  if (status !== undefined) {
    return `The proxy refused to connect to ${host} (${status}). Contact the proxy’s administrator, or change VS Code’s proxy settings.`;
  }
  if (code === 'UND_ERR_PRX_CONN') {
    return `The proxy closed the connection to ${host} (${code}). Contact the proxy’s administrator, or change VS Code’s proxy settings.`;
  }
  const why = parenthesized(code);
  if (UNUSABLE_PROXY.test(code ?? '')) {
    return `The configured proxy can’t be used${why}. Only HTTP and HTTPS proxies work, not SOCKS proxies. Change VS Code’s proxy settings.`;
  }
  return `Couldn’t reach the proxy${name ? ` ${name}` : ''} for ${host}${why}. Check that the proxy is running, and check VS Code’s proxy settings.`;
}
