import { type ExtensionContext, window } from 'vscode';
import type { App } from './app.ts';
import { registerCommands } from './commands.ts';
import { KeyStore } from './credentials/keyStore.ts';
import { LastResult } from './editor/lastResult.ts';
import { type Credentials, parseServiceUrl } from './service/credentials.ts';
import { isOutOfReach, ServiceError } from './service/errors.ts';
import type { Session } from './service/session.ts';
import type { TokenState } from './service/token.ts';
import { onDidChangeSettings, readSettings } from './settings.ts';
import { generationWatches } from './ui/generationWatch.ts';
import { StatusItem } from './ui/statusItem.ts';

/**
 * The composition root: builds everything in order of dependency. Activation makes no request,
 * starts no timer, reads no secret and does not load the HTTP stack.
 */
export function activate(context: ExtensionContext): void {
  const log = window.createOutputChannel('Hosted Model', { log: true });
  const keys = new KeyStore(context.secrets, context.globalState);
  const lastResult = new LastResult();

  let session: Promise<Session> | undefined;
  const openSession = () => {
    session ??= import('./service/session.ts').then(({ Session }) => new Session({ onTokenState }));
    return session;
  };

  const keepFresh = async () => {
    if (window.state.focused && readSettings().keepTokenFresh) (await session)?.keepTokenFresh();
  };
  const status = new StatusItem(statusPlace, () => void keepFresh());
  const onTokenState = (token: TokenState) => {
    status.update({ token });
    if (token.kind === 'valid') status.update({ unreachable: false });
    if ('error' in token) {
      log.warn(`token: ${token.error.message}`);
      status.update({ unreachable: isOutOfReach(token.error) });
    }
  };

  let signedOut = new AbortController();
  const onKeyChange = async () => {
    const hasKey = await keys.has();
    status.update({ hasKey });
    if (!hasKey) {
      signedOut.abort(new ServiceError('cancelled'));
      signedOut = new AbortController();
    }
    // What was said of a refused key is not true of another one.
    if (!hasKey || status.facts.token.kind === 'refused') (await session)?.forgetToken();
  };

  const test = async (credentials: Credentials, signal: AbortSignal) => {
    const { Session } = await import('./service/session.ts');
    const trial = new Session();
    try {
      await trial.client(credentials, readSettings()).countTokens('hello', signal);
    } finally {
      trial.dispose();
    }
  };

  const app: App = {
    log,
    status,
    lastResult,
    keys,
    get signOutSignal() {
      return signedOut.signal;
    },
    session: openSession,
    test,
    watchGeneration: generationWatches(status, log),
  };

  context.subscriptions.push(
    log,
    status,
    registerCommands(app),
    keys.onDidChange(() => void onKeyChange()),
    onDidChangeSettings(() => status.update({ needsApproval: false })),
    window.onDidChangeWindowState(() => void keepFresh()),
    { dispose: () => signedOut.abort(new ServiceError('cancelled')) },
    { dispose: () => void session?.then((open) => open.dispose()) },
  );
  void onKeyChange();
}

function statusPlace() {
  const settings = readSettings(window.activeTextEditor?.document.uri);
  const auth = parseServiceUrl(settings.authUrl);
  const service = parseServiceUrl(settings.url);
  return {
    authHost: auth.ok ? auth.host : 'an address that cannot be used',
    serviceHost: service.ok ? service.host : '',
    projectId: settings.projectId,
    modelId: settings.modelId,
  };
}
