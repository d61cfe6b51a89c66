import { type ExtensionContext, window } from 'vscode';
import type { App } from './app.ts';
import { registerCommands } from './commands.ts';
import { KeyStore } from './credentials/keyStore.ts';
import { resolveCredentials } from './credentials/resolve.ts';
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
    const error = token.kind === 'valid' ? token.renewalError : 'error' in token && token.error;
    if (error) log.warn(`token: ${error.message}`);
    if (error || token.kind === 'valid') status.update({ unreachable: isOutOfReach(error) });
  };

  const showWhetherSetUp = async () => {
    const { projectId, url } = readSettings();
    status.update({ isSetUp: (await keys.has()) && projectId !== '' && url !== '' });
  };

  let signedOut = new AbortController();
  /** The token in use serves the stored key and the hosts of the settings, or nobody. */
  const keepOnlyUsableToken = async () => {
    const open = await session;
    if (!open && !status.facts.needsApproval) return;
    const resolution = resolveCredentials(readSettings(), await keys.read());
    open?.keepOnly(resolution.kind === 'ready' ? resolution.credentials : undefined);
    status.update({
      needsApproval: status.facts.needsApproval && resolution.kind === 'unapproved',
    });
  };
  const onKeyChange = async () => {
    status.update({ lastFailure: undefined, unreachable: false });
    if (!(await keys.has())) {
      signedOut.abort(new ServiceError('cancelled'));
      signedOut = new AbortController();
      (await session)?.forgetToken();
    }
    await showWhetherSetUp();
    await keepOnlyUsableToken();
  };
  const onSettingsChange = async () => {
    status.update({ unreachable: false });
    await showWhetherSetUp();
    await keepOnlyUsableToken();
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
    onDidChangeSettings(() => void onSettingsChange()),
    window.onDidChangeWindowState(() => void keepFresh()),
    { dispose: () => signedOut.abort(new ServiceError('cancelled')) },
    { dispose: () => void session?.then((open) => open.dispose()) },
  );
  void showWhetherSetUp();
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
