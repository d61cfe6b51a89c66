import type { ErrorDetails, ErrorKind } from '../service/errors.ts';
import type { Sentence } from './messages.ts';

/** Every sentence about the way to the service and back. Pure. */

type NetworkKind = Extract<
  ErrorKind,
  'unreachable' | 'connection-lost' | 'certificate' | 'proxy' | 'timeout' | 'redirected'
>;

const LATE: Readonly<Record<'headers' | 'idle' | 'total', string>> = {
  headers: 'did not answer in time',
  idle: 'stopped sending',
  total: 'was not done in time',
};

export const NETWORK_SENTENCES: Readonly<Record<NetworkKind, Sentence>> = {
  unreachable: (details) => ({
    text: unreachable(details),
    actions: [details.code === 'ENOTFOUND' ? 'openSettings' : 'retry', 'diagnose'],
  }),
  'connection-lost': ({ host }) => ({
    text: `The connection to ${host ?? 'the service'} was lost after the request was sent. It may have run, so it was not sent again.`,
    actions: ['retry', 'diagnose'],
  }),
  certificate: ({ host = 'the service', code = 'no code' }) => {
    if (/^EPROTO$|WRONG_VERSION|PACKET_LENGTH/.test(code)) {
      return {
        text: `${sentenceStart(host)} does not speak TLS there (${code}). Most likely the port or a proxy is wrong. Check the addresses in the settings.`,
        actions: ['openSettings', 'diagnose'],
      };
    }
    if (/EXPIRED|NOT_YET_VALID/.test(code)) {
      return {
        text: `The certificate of ${host} is not valid today (${code}). Most likely this machine's clock is wrong. Set it, or tell the owner of the host.`,
        actions: ['retry', 'diagnose'],
      };
    }
    if (/ALTNAME|HOSTNAME/.test(code)) {
      return {
        text: `The certificate of ${host} is that of another host (${code}). Most likely the address in the settings is wrong, or the network leads elsewhere. Check the address.`,
        actions: ['openSettings', 'diagnose'],
      };
    }
    return {
      text: `The certificate of ${host} was not accepted (${code}). If your company has a certificate of its own, install it in the operating system.`,
      actions: ['retry', 'diagnose'],
    };
  },
  proxy: (details) => ({ text: proxy(details), actions: ['retry', 'diagnose'] }),
  timeout: ({ host, phase, attempts }) => ({
    text:
      phase === 'total' && attempts === 0
        ? 'Nothing was sent: the requests before it took too long. Try again when they have finished.'
        : `${host ?? 'The service'} ${LATE[phase ?? 'headers']}. The request may have run, so it was not sent again.`,
    actions: ['retry', 'diagnose'],
  }),
  redirected: ({ host }) => ({
    text: `The service wanted to redirect to ${host ?? 'another address'}. That is refused, since your key or token would go there. Check the addresses in the settings.`,
    actions: ['openSettings'],
  }),
};

function unreachable({ host = 'the service', code }: ErrorDetails): string {
  if (code === 'ENOTFOUND') {
    return `The name ${host} was not found. Most likely the address in the settings is misspelt, or the name is known in another network only. Check the address.`;
  }
  if (code === 'EAI_AGAIN') {
    return `No name server answered for ${host}. Most likely this machine is offline. Check the network.`;
  }
  return `Nothing answers at ${host} (${code ?? 'no code'}). Check the network, the proxy settings of VS Code and the address in the settings.`;
}

/** The three ways in which a proxy fails; an error status alone is an answer of the proxy itself. */
function proxy({ status, code, proxy: name, host = 'the service' }: ErrorDetails): string {
  if (status === 407) {
    return 'A proxy wants a login (407). Set it in the proxy settings of VS Code.';
  }
  if (status !== undefined) {
    return `The proxy refused the way to ${host} (${status}). Most likely it does not allow this host. Ask its administrator, or change the proxy settings of VS Code.`;
  }
  const why = code ? ` (${code})` : '';
  return `The proxy${name ? ` ${name}` : ''} on the way to ${host} cannot be reached${why}. Check that it runs, and the proxy settings of VS Code.`;
}

function sentenceStart(host: string): string {
  return host === 'the service' ? 'The service' : host;
}
