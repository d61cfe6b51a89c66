import { type Disposable, type ExtensionContext, window, workspace } from 'vscode';
import type { App } from './commands/app.ts';
import type { CredentialAccess } from './credentials/access.ts';
import type { Choice } from './credentials/choose.ts';
import { KeyStore, type StorageTrouble } from './credentials/keyStore.ts';
import { registerEnvFile } from './envFile/envFileWatch.ts';
import type { Jobs } from './generate/jobs.ts';
import { type Credentials, parseServiceUrl } from './service/credentials.ts';
import type { Session } from './service/session.ts';
import type { TokenState } from './service/token/tokenState.ts';
import { findKeyInSettings, onDidChangeSettings, readSettings } from './settings.ts';
import type { GenerationWatch } from './status/generationWatch.ts';
import { Recent } from './status/recent.ts';
import { StatusItem } from './status/statusItem.ts';
import { registerTemplateFiles } from './templates/templateWatch.ts';
import { Lazy } from './ui/lazy.ts';
import { type Log, openLog } from './ui/log.ts';
import { reach } from './ui/milestones.ts';

/**
 * Builds everything, or nothing: commands say so then, since VS Code shows nobody why one is missing.
 * @returns undefined where it could not be built; the log says which part failed
 */
export function start(context: ExtensionContext, hasAllCommands: boolean): App | undefined {
  const log = openLog();
  context.subscriptions.push(log);
  if (!hasAllCommands) {
    log.error('could not start: another extension has a command of the same name');
    return undefined;
  }
  const parts = new Parts();
  try {
    const app = build(context, log, parts);
    context.subscriptions.push(...parts.made);
    return app;
  } catch (error) {
    // What is half built would listen and paint until the window closes.
    parts.undo();
    log.error(`could not start: ${parts.latest} failed with ${nameOf(error)}`);
    return undefined;
  }
}

/**
 * The composition root: builds everything in order of dependency. It makes no request,
 * starts no timer, reads no secret and does not load the HTTP stack.
 * @param parts gets each part, so that the others can be undone where one fails
 */
function build(context: ExtensionContext, log: Log, parts: Parts): App {
  const { secrets, globalState, workspaceState } = context;
  /** Nobody waits for it; a failure of it still must not pass unseen. */
  const inBackground = (work: PromiseLike<unknown> | undefined) =>
    void work?.then(undefined, (error: unknown) => {
      log.error(`in the background: ${nameOf(error)}`);
    });
  const onTrouble = (what: StorageTrouble) => inBackground(sayOfStorage(what));
  const keys = parts.make('the key store', () => new KeyStore(secrets, globalState, onTrouble));
  const jobs = new Lazy<Jobs>(async () => {
    const { Jobs } = await import('./generate/jobs.ts');
    return new Jobs();
  });

  const session = new Lazy<Session>(async () => {
    const [{ Session, isOutOfReach }, { trafficOf }] = await Promise.all([
      import('./service/session.ts'),
      import('./status/requestsLine.ts'),
    ]);
    return new Session({
      onTokenState: (token) => onTokenState(token, isOutOfReach),
      onTraffic: (live) => status.update({ traffic: live && trafficOf(live) }),
    });
  });
  const keepFresh = async () => {
    if (!window.state.focused || !readSettings().keepTokenFresh || !session.ifMade) return;
    // The source of the token may have changed since it was used: then it is not renewed.
    await lookAgain();
    (await session.ifMade)?.keepTokenFresh();
  };
  const onBeat = () => inBackground(keepFresh());
  const status = parts.make('the status item', () => new StatusItem(statusPlace, onBeat));
  status.show();
  const recent = new Recent({ now: Date.now, monotonic: () => performance.now() });
  const watches = new Lazy<() => GenerationWatch>(async () => {
    const { generationWatches } = await import('./status/generationWatch.ts');
    return generationWatches(status, log, recent);
  });
  const onTokenState = (token: TokenState, isOutOfReach: (error: unknown) => boolean) => {
    status.update({ token });
    recent.tokenIs(token);
    const error = token.kind === 'valid' ? token.renewalError : 'error' in token && token.error;
    if (error) log.warn(`token: ${error.message}`);
    if (error || token.kind === 'valid') status.update({ unreachable: isOutOfReach(error) });
  };

  const access = new Lazy<CredentialAccess>(async () => {
    const { CredentialAccess, Approvals, provenanceLines } = await import(
      './credentials/access.ts'
    );
    return new CredentialAccess({
      keys,
      approvals: new Approvals(secrets, globalState),
      workspaceState,
      environment: process.env,
      test,
      onObstacle: (obstacles) => status.update(obstacles),
      signOutSignal: () => signedOut.signal,
      onFound: (found, choice) => {
        const needsApproval = status.facts.needsApproval && ASKING.has(choice.kind);
        status.update({ provenance: provenanceLines(found, choice), needsApproval });
        // The token in use serves what may be used now, or nobody.
        const usable = choice.kind === 'ready' ? choice.credentials : undefined;
        inBackground(session.ifMade?.then((open) => open.keepOnly(usable)));
        const isOutside = choice.kind === 'ready' && choice.source !== 'editor';
        if (isOutside === workspaceState.get(OUTSIDE, false)) return;
        const noted = workspaceState.update(OUTSIDE, isOutside);
        inBackground(noted.then(showWhetherSetUp));
      },
    });
  });
  /** What may be used can have changed. Asks nothing; does nothing as long as nobody needed it. */
  const lookAgain = async () => {
    const { needsApproval, provenance } = status.facts;
    if (!session.ifMade && !needsApproval && !provenance) return;
    await (await access.get()).look();
  };

  const showWhetherSetUp = async () => {
    const { projectId, url } = readSettings();
    const isInEditor = (await keys.has()) && projectId !== '' && url !== '';
    const isSetUp = isInEditor || workspaceState.get(OUTSIDE, false);
    status.update({ isSetUp });
    if (isSetUp) reach('isSetUp');
  };

  let signedOut = new AbortController();
  const onKeyChange = async () => {
    status.update({ lastFailure: undefined, unreachable: false });
    if (!(await keys.has())) {
      signedOut.abort();
      signedOut = new AbortController();
      // Signing out forgets what was approved, too.
      await workspaceState.update(OUTSIDE, undefined);
      (await session.ifMade)?.forgetToken();
    }
    await showWhetherSetUp();
    await lookAgain();
  };
  const onSettingsChange = async () => {
    status.update({ unreachable: false });
    inBackground(lookForStrayKey());
    await showWhetherSetUp();
    await lookAgain();
  };
  const onEditorChange = async () => {
    await (await access.ifMade)?.lookIfMoved();
  };

  let hasOfferedToMove = false;
  const lookForStrayKey = async () => {
    if (hasOfferedToMove || !findKeyInSettings()) return;
    hasOfferedToMove = true;
    const { offerToMoveKey } = await import('./credentials/strayKey.ts');
    await offerToMoveKey(() => access.get());
  };

  const test = async (credentials: Credentials, signal: AbortSignal) => {
    await (await session.get()).test(credentials, readSettings(), signal);
    reach('isTested');
  };

  const app: App = {
    log,
    status,
    recent,
    globalState,
    get signOutSignal() {
      return signedOut.signal;
    },
    session: () => session.get(),
    openSession: async () => session.ifMade,
    access: () => access.get(),
    jobs: () => jobs.get(),
    watches: () => watches.get(),
  };

  parts.make('the .env files', registerEnvFile);
  parts.make('the template files', registerTemplateFiles);
  const listen = (
    to: string,
    event: (hear: () => void) => Disposable,
    onEvent: () => Promise<void>,
  ) => parts.make(`listening to ${to}`, () => event(() => inBackground(onEvent())));
  listen('the key', (hear) => keys.onDidChange(hear), onKeyChange);
  listen('settings', onDidChangeSettings, onSettingsChange);
  listen('the window', (hear) => window.onDidChangeWindowState(hear), keepFresh);
  listen('editors', (hear) => window.onDidChangeActiveTextEditor(hear), onEditorChange);
  listen('trust', (hear) => workspace.onDidGrantWorkspaceTrust(hear), lookAgain);
  const end = () => {
    signedOut.abort();
    for (const open of [session, jobs] as const) {
      inBackground(open.ifMade?.then((made) => made.dispose()));
    }
  };
  parts.make('the end', () => ({ dispose: end }));
  inBackground(showWhetherSetUp());
  inBackground(lookForStrayKey());
  return app;
}

/** All that may be told of a failure whose words are not our own. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown failure';
}

/** What waits for an answer of the user. */
const ASKING: ReadonlySet<Choice['kind']> = new Set(['unapproved', 'ask-project', 'ask-source']);

/** Says that a source outside the editor was in use here; nothing of its values. */
const OUTSIDE = 'hostedModel.usesOutsideSource';

async function sayOfStorage(what: StorageTrouble): Promise<void> {
  const messages = await import('./credentials/settingMessages.ts');
  await window.showWarningMessage(messages[what]);
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

/** Parts that are made one after the other, and go together where one of them cannot be made. */
class Parts {
  readonly made: Disposable[] = [];
  /** Our own word for the part that was begun last. */
  latest = 'the beginning';

  /** Keeps each part as soon as it is made, since the next one can fail. */
  make<Part extends Disposable>(name: string, make: () => Part): Part {
    this.latest = name;
    const part = make();
    this.made.push(part);
    return part;
  }

  /** Disposes of all of them, also where one fails at that, too. */
  undo(): void {
    for (const part of this.made.splice(0)) {
      try {
        part.dispose();
      } catch {
        // There is nothing else that could be done about it.
      }
    }
  }
}
