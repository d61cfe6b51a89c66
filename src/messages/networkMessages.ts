import type { ErrorDetails, ErrorKind } from '../service/errors.ts';
import type { Action, Message } from './actions.ts';
import type { FailureContext, MessageBuilder } from './failureContext.ts';

/** The messages for network failures. Pure. */

const LATE: Readonly<Record<'connect' | 'headers' | 'idle' | 'total', string>> = {
  connect: 'did not answer in time',
  headers: 'did not answer in time',
  idle: 'stopped sending',
  total: 'was not done in time',
};

const ELSEWHERE: readonly Action[] = ['retry', 'diagnose'];
const CHECK_NETWORK = 'Check the network and the proxy settings of VS Code.';
const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';
const UNKNOWN_NAME = 'ENOTFOUND';
const OTHER_HOST = /ALTNAME|HOSTNAME/;

export const NETWORK_MESSAGES = {
  unreachable: (details, where) => ({
    text: unreachable(details, where),
    actions:
      details.code === UNKNOWN_NAME && details.phase !== 'connect' ? fixAddress(where) : ELSEWHERE,
  }),
  offline: () => ({
    text: `Neither host can be reached: this machine is most likely offline or behind a proxy. ${CHECK_NETWORK}`,
    actions: ELSEWHERE,
  }),
  'connection-lost': ({ host = 'the service' }, { isSafeToRepeat }) => ({
    text: isSafeToRepeat
      ? `The connection to ${host} broke off before the answer. Most likely a firewall or a proxy cut it. ${CHECK_NETWORK}`
      : `The connection to ${host} was lost after the request was sent. It may have run, so it was not sent again.`,
    actions: ELSEWHERE,
  }),
  certificate: (details, where) => ({
    text: certificate(details, where),
    actions: OTHER_HOST.test(details.code ?? '') ? fixAddress(where) : ELSEWHERE,
  }),
  tls: ({ host = 'The service', code = 'no code' }, where) =>
    code === NO_TLS
      ? {
          text: `${host} does not speak TLS there. Most likely the port or a proxy is wrong. Check the address in ${where.address.name}.`,
          actions: fixAddress(where),
        }
      : {
          text: `${host} and this machine could not agree on TLS (${code}). Most likely a firewall or a proxy in between is at fault. ${CHECK_NETWORK}`,
          actions: ELSEWHERE,
        },
  proxy: (details) => ({ text: proxy(details), actions: ELSEWHERE }),
  timeout: ({ host, phase = 'headers' }, { isSafeToRepeat }) => {
    const what = `${host ?? 'The service'} ${LATE[phase]}.`;
    return {
      text: isSafeToRepeat
        ? `${what} Most likely a firewall or a proxy holds it up. ${CHECK_NETWORK}`
        : `${what} The request may have run, so it was not sent again.`,
      actions: ELSEWHERE,
    };
  },
  redirected,
} satisfies Partial<Record<ErrorKind, MessageBuilder>>;

function redirected({ redirectHost }: ErrorDetails, where: FailureContext): Message {
  const { address, isIdentity, isOfService } = where;
  const asked = isIdentity ? 'The identity service' : 'The service';
  const to = redirectHost ?? 'another address';
  const what = `${asked} wanted to redirect to ${to}: refused, as key or token would go there.`;
  const cause = 'Most likely the network wants a login in a browser';
  const end = isOfService
    ? '. Log in there and try again.'
    : `, or the address in ${address.name} is wrong.`;
  return { text: `${what} ${cause}${end}`, actions: fixAddress(where) };
}

function unreachable(
  { host = 'the service', code, phase }: ErrorDetails,
  { address: { name }, isOfService }: FailureContext,
): string {
  if (phase === 'connect') {
    const why = code ? ` (${code})` : ' in time';
    return `No connection to ${host} came about${why}, and nothing was sent. Most likely a firewall or a proxy does not let it through. ${CHECK_NETWORK}`;
  }
  if (code === UNKNOWN_NAME) {
    return isOfService
      ? `The name ${host} was not found. Most likely this machine is offline, or a name server of its network does not know it. Check the network.`
      : `The name ${host} was not found. Most likely the address in ${name} is misspelt, or the name is known in another network only. Check the address.`;
  }
  if (code === 'EAI_AGAIN') {
    return `No name server answered for ${host}. Most likely this machine is offline. Check the network.`;
  }
  const settings = isOfService
    ? 'the network and the proxy settings of VS Code'
    : `the network, the proxy settings of VS Code and the address in ${name}`;
  return `Nothing answers at ${host} (${code ?? 'no code'}). Check ${settings}.`;
}

function certificate(
  { host = 'the service', code = 'no code' }: ErrorDetails,
  { address, isOfService }: FailureContext,
): string {
  if (/EXPIRED|NOT_YET_VALID/.test(code)) {
    return `The certificate of ${host} is not valid today (${code}). Either this machine's clock is wrong or the certificate has expired. Set the clock, or tell the owner of the host.`;
  }
  if (OTHER_HOST.test(code)) {
    const wrong = isOfService ? '' : ` the address in ${address.name} is wrong, or`;
    return `The certificate of ${host} is that of another host (${code}). Most likely${wrong} the network leads elsewhere. Check the ${isOfService ? 'network' : 'address'}.`;
  }
  return `The certificate of ${host} was not accepted (${code}). If your company has a certificate of its own, install it in the operating system.`;
}

/** Returns the actions for a wrong address. The address of a built-in service needs no fix. */
function fixAddress({ address, isOfService }: FailureContext): readonly Action[] {
  return isOfService ? ELSEWHERE : [address.value, 'diagnose'];
}

/** Matches the error codes for a proxy that `fetch` can't use, such as a SOCKS proxy. */
const UNUSABLE_PROXY = /^(UND_ERR_INVALID_ARG|ERR_INVALID_URL)$/;

/** Describes the failure of a proxy. If there is a status, the proxy itself sent it. */
function proxy({ status, code, proxy: name, host = 'the service' }: ErrorDetails): string {
  if (status === 407) {
    return 'A proxy wants a login (407). Set it in the proxy settings of VS Code.';
  }
  if (status !== undefined) {
    return `The proxy refused the way to ${host} (${status}). Most likely it does not allow this host. Ask its administrator, or change the proxy settings of VS Code.`;
  }
  if (code === 'UND_ERR_PRX_CONN') {
    return `The proxy closed the connection in place of a way to ${host} (${code}). Most likely it does not allow this host, or what it leads to is down. Ask its administrator, or change the proxy settings of VS Code.`;
  }
  const why = code ? ` (${code})` : '';
  if (UNUSABLE_PROXY.test(code ?? '')) {
    return `The proxy in the settings of VS Code cannot be used${why}. Most likely it is a SOCKS proxy, or its address is wrong: only http and https proxies work. Change the proxy settings of VS Code.`;
  }
  return `The proxy${name ? ` ${name}` : ''} on the way to ${host} cannot be reached${why}. Check that it runs, and the proxy settings of VS Code.`;
}
