import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { type Fault, gate } from '../emulator/faults.ts';
import type { ReceivedRequest } from '../emulator/requests.ts';
import {
  type AwaitingApproval,
  assertUntouched,
  notApprovedYet,
  startUnapproved,
  type UnapprovedListener,
} from '../emulator/unapproved.ts';
import {
  apiKey,
  asking,
  chatPath,
  externalCredentials,
  generateByKeys,
  generateFrom,
  openWindow,
  projectId,
  settingsOf,
  statusId,
  storeKey,
  tokenPath,
} from './service.ts';
import type { Session } from './session.ts';

/**
 * Tests the packaged extension, point by point, against the service's documentation on tokens,
 * credentials, and errors. All of the product's titles, setting names, and messages are in this
 * table, so only this table needs to change if one of them does.
 */
const product = {
  refreshToken: 'Hosted Model: Refresh Token',
  refreshTokenButton: 'Refresh Token',
  signOut: 'Hosted Model: Sign Out',
  signOutButton: 'Sign Out',
  signedOut: /Signed out/,
  settings: {
    concurrency: 'hostedModel.maxConcurrentRequests',
    interval: 'hostedModel.minRequestInterval',
  },
  /** Parts of the status item's accessible name. */
  token: {
    notSetUp: /not set up/,
    none: /no token yet/,
    valid: /token valid/,
    expired: /token expired/,
    rejected: /rejected/,
  },
  /** Parts of the status item's tooltip. */
  waiting: (count: number) => `${count} waiting`,
  spaced: 'delayed by hostedModel.minRequestInterval',
  missing: { key: /needs an API key/ },
  /** The usual causes of unusable credentials, each with a pattern that matches its message. */
  causes: {
    noFile: /\.env file in \w+ \(not found\)/,
    quotes: /VENDOR_API_KEY on line \d+ has quotes/,
    spaces: /VENDOR_API_KEY on line \d+ has spaces/,
    key: /rejected the API key\. The key is unknown, expired/,
    project: /project doesn’t exist/,
    token: /new token has already expired/,
  },
  /** The buttons in messages about errors in the .env file. */
  fixFile: ['Open .env', 'Set Up...'],
  lacks: (name: string) => new RegExp(`lacks ${name}`),
  exhausted: /failed \(503\) on all 4 attempts/,
  /** Captures the number of the next attempt and the seconds until it starts. */
  retrying: /Retrying in (?<seconds>\d+)s \(attempt (?<attempt>\d) of 4/,
  generating: /Generating/,
  approval: {
    envFile: /from the \.env file/,
    environment: /from VS Code’s environment/,
    keyGoesTo: (host: string) => new RegExp(`key goes to ${host}`, 'i'),
    textGoesTo: (host: string) => new RegExp(`text goes to ${host}`, 'i'),
    approve: 'Use These Values',
    decline: 'Do Not Use',
    cancel: 'Cancel',
  },
};

const grantType = 'urn:ibm:params:oauth:grant-type:apikey';
const retriedStatuses = [429, 500, 501, 502, 503, 504];
const retried = retriedStatuses.map((status) => `Question ${status}`);
const several = ['First question', 'Second question', 'Third question', 'Fourth question'];
const answerTo = (prompt: string) => `Answer to ${prompt}`;
const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
const answered = (lines: readonly string[]) =>
  textOf(lines.map((line) => `${line}\n${answerTo(line)}`));
const folderFiles = {
  'a.txt': 'Write a reply.\n',
  'b.txt': 'Write another reply.\n',
  'three.txt': textOf(several),
  'one.txt': textOf(several),
  'interval.txt': textOf(several),
  'retried.txt': textOf(retried),
};

const inferenceOf = ({ requests }: Emulator) => requests.filter(({ path }) => path === chatPath);
const tokenRequestsOf = ({ requests }: Emulator) =>
  requests.filter(({ path, method }) => path === tokenPath && method === 'POST');
const bearerOf = ({ headers }: ReceivedRequest) => headers['authorization'];
const projectOf = ({ json }: ReceivedRequest) => (json as { project_id: string }).project_id;

const inFile = { key: 'key-in-the-env-file-0123', project: 'project-of-the-file' };
const inEnvironment = { key: 'key-in-the-environment-0', project: 'project-of-the-environment' };

describe("the extension, tested against the service's documentation", () => {
  /**
   * The identity service for all three sources, and the model service set in the editor's settings.
   */
  let emulator: Emulator;
  /**
   * The model service that the `.env` file specifies. It replays a recording, because an emulator
   * rejects tokens that another emulator issued.
   */
  let fileService: Emulator;
  /** The model service that the environment specifies. It also replays a recording. */
  let environmentService: Emulator;
  let elsewhere: UnapprovedListener;
  /** All three emulators, which must receive nothing before the first approval. */
  let unapproved: readonly AwaitingApproval[];
  /** All tests share one window, because opening a window for each test would take too long. */
  let session: Session;
  const emulators = () => [emulator, fileService, environmentService];
  const approveHosts = () => {
    for (const one of unapproved) one.approve();
  };

  before(async () => {
    emulator = await startEmulator({
      apiKeys: [apiKey, inFile.key, inEnvironment.key],
      projectIds: [projectId],
      answer: answerTo,
    });
    fileService = await startEmulator();
    environmentService = await startEmulator();
    elsewhere = await startUnapproved();
    unapproved = emulators().map(notApprovedYet);
    session = await openWindow(emulator, {
      folderFiles,
      env: externalCredentials({ ...inEnvironment, url: environmentService.url }).variables,
    });
  });
  after(() => Promise.all(emulators().map((one) => one.close())));
  beforeEach(() => {
    for (const one of emulators()) one.reset({ keepsTokens: true });
    for (const one of [fileService, environmentService]) {
      one.faults.always(chatPath, { recording: 'chat_stream ok' });
    }
  });
  afterEach(async function () {
    assertUntouched(elsewhere);
    if (this.currentTest?.state !== 'failed') return;
    // Closes dialogs that the failed test left open, because the next test uses the same window.
    for (let open = 0; open < 3; open += 1) await session.workbench.page.keyboard.press('Escape');
  });

  const status = () => session.workbench.statusItem(statusId);
  /** Waits for the message that names this cause, and checks that it names no other cause. */
  const isReported = async (cause: keyof typeof product.causes): Promise<void> => {
    const { text } = await session.workbench.notifications.waitFor(product.causes[cause]);
    const named = Object.entries(product.causes).filter(([, pattern]) => pattern.test(text));
    assert.deepEqual(
      named.map(([name]) => name),
      [cause],
      text,
    );
  };
  const isAsked = async (source: 'envFile' | 'environment'): Promise<void> => {
    const asked = source === 'envFile' ? fileService : environmentService;
    const { detail } = await session.workbench.dialogs.waitFor(product.approval[source]);
    assert.match(detail, product.approval.keyGoesTo(new URL(emulator.url).host));
    assert.match(detail, product.approval.textGoesTo(new URL(asked.url).host));
    for (const { key } of [inFile, inEnvironment]) assert.ok(!detail.includes(key));
    assertUntouched(...unapproved);
    assert.deepEqual(
      emulators().flatMap(({ requests }) => requests),
      [],
    );
  };

  describe('with credentials outside the editor', () => {
    const writeEnvFile = (text: string) => writeFile(session.path('.env'), text);
    const fileFor = ({ url }: { readonly url: string }, project = inFile.project) =>
      externalCredentials({ ...inFile, project, url }).text;
    const approve = async () => {
      approveHosts();
      await session.workbench.dialogs.click(product.approval.approve);
      await session.workbench.editor.waitForText(/\.\nHello\n/);
    };
    const wasSent = (service: Emulator, { key, project }: typeof inFile) => {
      const [request, ...more] = inferenceOf(service);
      assert.ok(request && more.length === 0);
      assert.equal(projectOf(request), project);
      assert.equal(bearerOf(request), `Bearer ${emulator.tokensIssued.at(-1)}`);
      const forms = tokenRequestsOf(emulator).map(({ form }) => form);
      assert.deepEqual(forms, [{ grant_type: grantType, apikey: key }]);
      assert.equal(service.count(tokenPath), 0, 'the key goes to the identity service alone');
      assert.equal(emulator.count(chatPath), 0, 'text goes to the service alone');
    };

    const broken: [what: string, cause: 'quotes' | 'spaces' | RegExp, from: RegExp, to: string][] =
      [
        ['quotes around a value', 'quotes', /=(.*)/, '="$1"'],
        ['spaces around a value', 'spaces', /=/, '= '],
        ['no API key', product.lacks('VENDOR_API_KEY'), /VENDOR_API_KEY.*\n/, ''],
        ['no project ID', product.lacks('VENDOR_PROJECT_ID'), /VENDOR_PROJECT_ID.*\n/, ''],
        ['no service URL', product.lacks('VENDOR_URL'), /VENDOR_URL.*\n/, ''],
      ];
    for (const [what, cause, from, to] of broken) {
      it(`refuses to generate if the .env file has ${what}`, async () => {
        const { notifications, dialogs, quickInput } = session.workbench;
        await writeEnvFile(fileFor(elsewhere).replace(from, to));
        // Uses the palette, because a window that has just opened may drop a shortcut.
        await generateFrom(session);
        if (typeof cause === 'string') await isReported(cause);
        const named = typeof cause === 'string' ? product.causes[cause] : cause;
        const { text, buttons } = await notifications.waitFor(named);
        assert.match(text, /Nothing was sent\./);
        assert.deepEqual(buttons, product.fixFile);
        assert.equal(await dialogs.state(), undefined, 'nothing waits for an approval');
        assert.equal(await quickInput.state(), undefined, 'no setup opens');
        await notifications.close(named);
        assertUntouched(...unapproved);
      });
    }

    it("doesn't contact the hosts named in a .env file if the user declines to use the file", async () => {
      const { dialogs } = session.workbench;
      await writeEnvFile(fileFor(fileService));
      await generateFrom(session);
      await isAsked('envFile');
      await dialogs.click(product.approval.decline);
      await isAsked('environment');
      await dialogs.click(product.approval.cancel);
      assertUntouched(...unapproved);
    });

    it('uses a changed .env file after the user approves the new values', async () => {
      await writeEnvFile(fileFor(fileService, 'another-project'));
      await generateFrom(session);
      await isAsked('envFile');
      await approve();
      wasSent(fileService, { ...inFile, project: 'another-project' });
    });

    it('uses the environment, once approved, if the folder has no .env file', async () => {
      await rm(session.path('.env'));
      await generateFrom(session, 'b.txt');
      await isAsked('environment');
      await approve();
      wasSent(environmentService, inEnvironment);
    });
  });

  describe('with the editor as the credential source', () => {
    before('signing out forgets the approvals', async () => {
      await session.workbench.runCommand(product.signOut);
      await session.workbench.dialogs.click(product.signOutButton);
      await session.workbench.notifications.close(product.signedOut);
    });
    afterEach('no token request contains more than the grant type and the API key', () => {
      for (const { form } of tokenRequestsOf(emulator)) {
        assert.deepEqual(form, { grant_type: grantType, apikey: apiKey });
      }
    });

    let responses = 0;
    /** Generates from the first line, and returns a function that waits for the response. */
    const generateOnce = async (): Promise<() => Promise<string>> => {
      const { editor } = session.workbench;
      responses += 1;
      const response = `Response ${responses}.`;
      emulator.settings.answer = () => response;
      await editor.selectLines(1);
      await generateByKeys(session);
      return () => editor.waitForText(new RegExp(`\\n${response}\\n`));
    };
    const generateFromEach = async (lines: readonly string[], file: keyof typeof folderFiles) => {
      await session.workbench.openFile(session.path(file));
      await session.workbench.editor.selectEachLine(1, lines.length);
      await generateByKeys(session);
    };
    const becomes = (lines: readonly string[]) =>
      session.workbench.editor.waitForText(answered(lines));

    it('refuses to generate without a key, and mentions the missing .env file', async () => {
      const { notifications, dialogs } = session.workbench;
      await generateFrom(session);
      await isAsked('environment');
      await dialogs.click(product.approval.decline);
      await notifications.waitFor(product.missing.key);
      await isReported('noFile');
      await status().waitFor({ ariaLabel: product.token.notSetUp, background: 'warning' });
      await notifications.close(product.missing.key);
      assert.deepEqual(
        emulators().flatMap(({ requests }) => requests),
        [],
      );
    });

    it('shows that there is no token yet, without requesting one', async () => {
      await storeKey(session);
      approveHosts();
      await status().waitFor({ ariaLabel: product.token.none, background: 'none' });
      assert.deepEqual(emulator.requests, []);
    });

    it('gets a token from {auth_url}/identity/token, and sends it as the bearer token', async () => {
      const responded = await generateOnce();
      await responded();
      const [request, ...more] = tokenRequestsOf(emulator);
      assert.deepEqual(more, []);
      assert.match(request?.headers['content-type'] ?? '', /^application\/x-www-form-urlencoded\b/);
      assert.equal(request?.query.size, 0);
      assert.deepEqual(request?.form, { grant_type: grantType, apikey: apiKey });
      const bearers = inferenceOf(emulator).map(bearerOf);
      assert.deepEqual(bearers, [`Bearer ${emulator.tokensIssued.at(-1)}`]);
      await status().waitFor({ ariaLabel: product.token.valid, background: 'none' });
    });

    it('replaces a token that expires early, and repeats the request once', async () => {
      const { notifications } = session.workbench;
      emulator.revokeTokens();
      const responded = await generateOnce();
      await responded();
      await notifications.waitUntilGone(product.generating);
      const shown = (await notifications.list()).map(({ text }) => text);
      assert.deepEqual(shown, [], 'the user sees nothing but the text');
      const [rejected, replayed, ...more] = inferenceOf(emulator);
      assert.ok(rejected && replayed && more.length === 0);
      assert.deepEqual(
        [rejected, replayed].map(bearerOf),
        emulator.tokensIssued.slice(-2).map((token) => `Bearer ${token}`),
      );
      assert.equal(replayed.text, rejected.text);
      assert.equal(tokenRequestsOf(emulator).length, 1);
    });

    for (const field of ['expires_in', 'expiration'] as const) {
      it(`replaces a token that has expired according to ${field}`, async () => {
        const issued = emulator.tokensIssued.length;
        const end = emulator.faults.always(tokenPath, tokenThatEndsBy(field, emulator));
        await session.workbench.runCommand(product.refreshToken);
        await status().waitFor({ ariaLabel: product.token.expired });
        end();
        const responded = await generateOnce();
        await responded();
        assert.equal(emulator.tokensIssued.length, issued + 1);
        const bearers = inferenceOf(emulator).map(bearerOf);
        assert.deepEqual(bearers, [`Bearer ${emulator.tokensIssued[issued]}`]);
      });
    }

    it('names an unknown or expired key as the cause of a rejection', async () => {
      const { notifications, editor } = session.workbench;
      const before = await editor.visibleText();
      emulator.settings.apiKeys = [];
      emulator.revokeTokens();
      await generateOnce();
      await isReported('key');
      await status().waitFor({ ariaLabel: product.token.rejected, background: 'error' });
      assert.equal(await editor.visibleText(), before);
      emulator.settings.apiKeys = [apiKey];
      await notifications.click(product.causes.key, product.refreshTokenButton);
      await status().waitFor({ ariaLabel: product.token.valid, background: 'none' });
    });

    it('names an incorrect project ID as the cause of a 401', async () => {
      const { notifications } = session.workbench;
      emulator.faults.always(chatPath, {
        status: 401,
        json: { errors: [{ code: 'authentication_token_not_valid' }] },
      });
      emulator.settings.projectIds = ['another-project'];
      await generateOnce();
      await isReported('project');
      await notifications.close(product.causes.project);
      assert.equal(emulator.count(chatPath), 2, 'the request is sent again once, with a new token');
    });

    it('names an expired access token as the cause after a second rejection', async () => {
      const { notifications } = session.workbench;
      const isInference = ({ path, method }: ReceivedRequest) =>
        method === 'POST' && path.startsWith('/ml/');
      emulator.faults.always(isInference, { recording: 'chat: 401 token expired' });
      await generateOnce();
      await isReported('token');
      await notifications.close(product.causes.token);
      const bearers = inferenceOf(emulator).map(bearerOf);
      assert.equal(bearers.length, 2);
      assert.equal(new Set(bearers).size, 2);
    });

    it('announces three retries with increasing backoff, then reports the 503', async () => {
      const { notifications, editor } = session.workbench;
      const before = await editor.visibleText();
      const announced = await notifications.watchShown(product.retrying);
      const held = gate();
      emulator.faults.next(chatPath, { status: 503, hold: held.opened });
      emulator.faults.always(chatPath, { status: 503 });
      await generateOnce();
      // Holds the first response until the progress notification appears. Otherwise, the first
      // backoff could end before its countdown is shown.
      await notifications.progress(product.generating);
      held.open();
      await notifications.close(product.exhausted);
      assert.equal(emulator.count(chatPath), 4);
      assert.equal(await editor.visibleText(), before);
      // The countdown to each attempt starts at the full wait, so the wait is the highest number
      // shown.
      const waits = new Map<string, number>();
      for (const text of await announced()) {
        const { seconds, attempt = '' } = product.retrying.exec(text)?.groups ?? {};
        waits.set(attempt, Math.max(waits.get(attempt) ?? 0, Number(seconds)));
      }
      assert.deepEqual([...waits.keys()], ['2', '3', '4']);
      // The waits are 0.5 to 1 s, 1 to 2 s, and 2 to 4 s. The countdown shows whole seconds, so
      // consecutive waits can look equal.
      const [first = 0, second = 0, third = 0] = waits.values();
      assert.ok(first <= second && second <= third && first < third, `${first} ${second} ${third}`);
    });

    it('sends at most three requests at a time', async () => {
      const held = gate();
      emulator.faults.always(chatPath, { hold: held.opened });
      await generateFromEach(several, 'three.txt');
      await emulator.requestCount(chatPath, 3);
      await status().waitForTooltip(product.waiting(1));
      held.open();
      await becomes(several);
      assert.equal(emulator.mostInFlight.inference, 3);
    });

    // Must run before the test in which the service responds with a 429, because a 429 lowers the
    // concurrency limit for a while.
    it('sends one request at a time if the concurrency limit is 1', async () => {
      await session.workbench.applyUserSettings({
        ...settingsOf(emulator),
        [product.settings.concurrency]: 1,
      });
      const held = gate();
      emulator.faults.always(chatPath, { hold: held.opened });
      await generateFromEach(several, 'one.txt');
      await emulator.requestCount(chatPath, 1);
      await status().waitForTooltip(product.waiting(3));
      held.open();
      await becomes(several);
      assert.equal(emulator.mostInFlight.inference, 1);
    });

    it(`automatically retries requests that fail with ${retriedStatuses.join(', ')}, then inserts the response`, async () => {
      for (const [index, code] of retriedStatuses.entries()) {
        emulator.faults.next(asking(retried[index] ?? ''), { status: code }, 2);
      }
      await generateFromEach(retried, 'retried.txt');
      await becomes(retried);
      const sent = retried.map((prompt) => emulator.count(asking(prompt)));
      assert.deepEqual(
        sent,
        retried.map(() => 3),
      );
    });

    it('respects the minimum request interval from the settings', async () => {
      const { notifications } = session.workbench;
      await session.workbench.applyUserSettings({
        ...settingsOf(emulator),
        // The longest interval that the setting allows. The test cancels the waiting requests.
        [product.settings.interval]: 60_000,
      });
      await generateFromEach(several, 'interval.txt');
      await status().waitForTooltip(product.spaced);
      await notifications.cancelProgress(product.generating);
      await notifications.waitUntilGone(product.generating);
      // If the previous test sent a request less than a minute ago, this test doesn't send one.
      assert.ok(emulator.count(chatPath) <= 1);
    });
  });
});

/**
 * A response with a valid token that expires in a second according to `field`, but in an hour
 * according to the other field.
 */
function tokenThatEndsBy(field: 'expires_in' | 'expiration', { tokensIssued }: Emulator): Fault {
  const nowSeconds = 1_800_000_000;
  return {
    // The extension takes the service's current time from this header, and compares `expiration`
    // with it.
    headers: { date: new Date(nowSeconds * 1_000).toUTCString() },
    json: {
      access_token: tokensIssued.at(-1),
      token_type: 'Bearer',
      expires_in: field === 'expires_in' ? 1 : 3_600,
      expiration: nowSeconds + (field === 'expiration' ? 1 : 3_600),
    },
  };
}
