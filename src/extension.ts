import { type ExtensionContext, window } from 'vscode';
import type { App } from './app.ts';
import { registerCommands } from './commands.ts';
import type { CredentialAccess } from './credentials/access.ts';
import { KeyStore } from './credentials/keyStore.ts';
import { Vault } from './credentials/vault.ts';
import { LastResult } from './editor/lastResult.ts';
import { registerEnvFile } from './envFile/watch.ts';
import { type Credentials, parseServiceUrl } from './service/credentials.ts';
import { isOutOfReach, ServiceError } from './service/errors.ts';
import type { Session } from './service/session.ts';
import type { TokenState } from './service/token.ts';
import { findKeyInSettings, onDidChangeSettings, readSettings } from './settings.ts';
import { generationWatches } from './ui/generationWatch.ts';
import { reach } from './ui/milestones.ts';
import { StatusItem } from './ui/statusItem.ts';

/**
 * The composition root: builds everything in order of dependency. Activation makes no request,
 * starts no timer, reads no secret and does not load the HTTP stack.
 */
export function activate(context: ExtensionContext): void {
  const log = window.createOutputChannel('Hosted Model', { log: true });
  const vault = new Vault(context.secrets, () => void sayStorageFails());
  const keys = new KeyStore(vault, context.globalState);
  const lastResult = new LastResult();

  let session: Promise<Session> | undefined;
  const openSession = () => {
    session ??= import('./service/session.ts').then(({ Session }) => new Session({ onTokenState }));
    return session;
  };

  const keepFresh = async () => {
    if (!window.state.focused || !readSettings().keepTokenFresh || !session) return;
    // The source of the token may have changed since it was used: then it is not renewed.
    await keepOnlyUsableToken();
    (await session).keepTokenFresh();
  };
  const status = new StatusItem(statusPlace, () => void keepFresh());
  const onTokenState = (token: TokenState) => {
    status.update({ token });
    const error = token.kind === 'valid' ? token.renewalError : 'error' in token && token.error;
    if (error) log.warn(`token: ${error.message}`);
    if (token.kind === 'valid') reach('isTested');
    if (error || token.kind === 'valid') status.update({ unreachable: isOutOfReach(error) });
  };

  let access: Promise<CredentialAccess> | undefined;
  const openAccess = () => {
    access ??= import('./credentials/access.ts').then(
      ({ CredentialAccess, Approvals, provenanceLines }) =>
        new CredentialAccess({
          keys,
          approvals: new Approvals(vault, context.globalState),
          workspaceState: context.workspaceState,
          environment: process.env,
          test,
          onObstacle: (obstacles) => status.update(obstacles),
          onFound: (found, choice) => {
            status.update({ provenance: provenanceLines(found, choice) });
            const isOutside = choice.kind === 'ready' && choice.source !== 'editor';
            if (isOutside === context.workspaceState.get(OUTSIDE, false)) return;
            void context.workspaceState.update(OUTSIDE, isOutside).then(showWhetherSetUp);
          },
        }),
    );
    return access;
  };

  const showWhetherSetUp = async () => {
    const { projectId, url } = readSettings();
    const isInEditor = (await keys.has()) && projectId !== '' && url !== '';
    const isSetUp = isInEditor || context.workspaceState.get(OUTSIDE, false);
    status.update({ isSetUp });
    if (isSetUp) reach('isSetUp');
  };

  let signedOut = new AbortController();
  /** The token in use serves what may be used now, or nobody. */
  const keepOnlyUsableToken = async () => {
    const open = await session;
    const { needsApproval, provenance } = status.facts;
    if (!open && !needsApproval && !provenance) return;
    const { choice } = await (await openAccess()).look();
    open?.keepOnly(choice.kind === 'ready' ? choice.credentials : undefined);
    const isAsking = ['unapproved', 'ask-project', 'ask-source'].includes(choice.kind);
    status.update({ needsApproval: status.facts.needsApproval && isAsking });
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
    lookForStrayKey();
    await showWhetherSetUp();
    await keepOnlyUsableToken();
  };

  let hasOfferedToMove = false;
  const lookForStrayKey = () => {
    if (hasOfferedToMove || !findKeyInSettings()) return;
    hasOfferedToMove = true;
    void import('./credentials/strayKey.ts').then(({ offerToMoveKey }) =>
      offerToMoveKey(openAccess),
    );
  };

  const test = async (credentials: Credentials, signal: AbortSignal) => {
    const { Session } = await import('./service/session.ts');
    const trial = new Session();
    try {
      await trial.client(credentials, readSettings()).countTokens('hello', signal);
      reach('isTested');
    } finally {
      trial.dispose();
    }
  };

  const app: App = {
    log,
    status,
    lastResult,
    get signOutSignal() {
      return signedOut.signal;
    },
    session: openSession,
    access: openAccess,
    watchGeneration: generationWatches(status, log),
  };

  context.subscriptions.push(
    log,
    status,
    registerCommands(app),
    keys,
    registerEnvFile(),
    keys.onDidChange(() => void onKeyChange()),
    onDidChangeSettings(() => void onSettingsChange()),
    window.onDidChangeWindowState(() => void keepFresh()),
    { dispose: () => signedOut.abort(new ServiceError('cancelled')) },
    { dispose: () => void session?.then((open) => open.dispose()) },
  );
  void showWhetherSetUp();
  lookForStrayKey();
}

/** Says that a source outside the editor was in use here; nothing of its values. */
const OUTSIDE = 'hostedModel.usesOutsideSource';

async function sayStorageFails(): Promise<void> {
  const { STORAGE_FAILS } = await import('./ui/settingMessages.ts');
  await window.showWarningMessage(STORAGE_FAILS);
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
