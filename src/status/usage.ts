import { randomUUID } from 'node:crypto';
import { type Memento, Uri, window, workspace } from 'vscode';
import { readSettings } from '../config/settings.ts';
import type { Connection } from '../service/connection.ts';
import { setContextKey } from '../ui/contextKeys.ts';
import { inform } from '../ui/notify.ts';
import { DailyBudget } from './budget.ts';
import { dayOf, totalOf, UsageLedger, type UsedRequest } from './usageLedger.ts';
import * as texts from './usageMessages.ts';

const SCHEME = 'hosted-model-usage';

export interface UsageDeps {
  readonly globalState: Memento;
  readonly connections: { fingerprintOf(connection: Connection): Promise<string> };
  /** Shows the usage line while it is about today. */
  readonly status: {
    update(facts: { readonly usageToday: (() => string | undefined) | undefined }): void;
  };
}

/** A chat request in progress, counted by an estimate. */
export interface Claim {
  /** The reason the request is refused; undefined if it may be sent. */
  readonly refusal: string | undefined;
  /** Stops counting the request. Later calls have no effect. */
  readonly end: () => void;
}

/**
 * The usage and budget of all keys. The only access to them for commands, generations, and chat.
 */
export class Usage {
  readonly #deps: UsageDeps;
  readonly #ledger: UsageLedger;
  readonly #budget: DailyBudget;
  readonly #now: () => number;
  /** The connection whose usage the tooltip shows. */
  #active: Connection | undefined;
  /** Estimated tokens of the requests in progress, by the fingerprint of their key. */
  readonly #claimed = new Map<string, number>();

  /**
   * @param storage the extension's folder for the counters
   * @param now wall-clock milliseconds
   */
  constructor(deps: UsageDeps, storage: Uri, now = Date.now) {
    this.#deps = deps;
    this.#ledger = new UsageLedger(storage, now);
    this.#budget = new DailyBudget(deps.globalState, now);
    this.#now = now;
  }

  /**
   * Shows the usage of this connection in the tooltip, and no other.
   * @returns a promise that resolves when the usage is shown
   */
  async setActive(connection: Connection | undefined): Promise<void> {
    const before = this.#active;
    this.#active = connection;
    if (connection === before || (before && connection?.hasSameKeyAs(before))) return;
    this.#deps.status.update({ usageToday: undefined });
    if (connection) await this.#look(connection, await this.#fingerprintOf(connection));
  }

  /**
   * Adds a request to the counters.
   * @param claim the estimate that this record replaces
   * @returns a promise that resolves when the record is saved, and never rejects, because a lost
   * count must not stop a generation
   */
  async record(connection: Connection, request: UsedRequest, claim?: Claim): Promise<void> {
    try {
      const fingerprint = await this.#fingerprintOf(connection);
      const kept = this.#ledger.record(fingerprint, request);
      claim?.end();
      await kept;
      this.#budget.tell((await this.#look(connection, fingerprint)).use);
    } catch {
      // A lost count must not fail the request.
      claim?.end();
    }
  }

  /**
   * The reason that requests from chat and other extensions are refused; undefined if they are
   * allowed.
   */
  async refusal(connection: Connection): Promise<string | undefined> {
    return (await this.claim(connection, 0)).refusal;
  }

  /**
   * Checks the budget for a chat request, and counts an estimate until the request is recorded or
   * has failed. The actual usage of concurrent requests is known only after they end.
   * @param tokens the estimate
   */
  async claim(connection: Connection, tokens: number): Promise<Claim> {
    if (readSettings().dailyTokenBudget === 0) return { refusal: undefined, end: () => {} };
    const fingerprint = await this.#fingerprintOf(connection);
    const { usedNow } = await this.#look(connection, fingerprint);
    // No `await` from here on. Otherwise two concurrent requests could both take the last tokens,
    // or one that just ended would be missing from both numbers.
    const use = usedNow();
    this.#budget.tell(use);
    const claimed = () => this.#claimed.get(fingerprint) ?? 0;
    const add = (more: number) => this.#claimed.set(fingerprint, claimed() + more);
    if (!this.#budget.mayGo({ ...use, tokens: use.tokens + claimed() })) {
      return { refusal: texts.refusalText(use.budget), end: () => {} };
    }
    let left = tokens;
    add(left);
    const end = () => {
      add(-left);
      left = 0;
    };
    return { refusal: undefined, end };
  }

  /**
   * Runs *Show Usage*.
   * @param connection the connection in use; undefined without one
   */
  async show(connection: Connection | undefined): Promise<void> {
    if (!connection) return inform(texts.NO_KEY);
    const fingerprint = await this.#fingerprintOf(connection);
    const { day, today, use } = await this.#look(connection, fingerprint);
    const session = this.#ledger.session(fingerprint);
    await showText(texts.usageText({ day, today, session, budget: use.budget }));
    if (!this.#budget.mayGo(use)) await this.#budget.offer(use);
  }

  #fingerprintOf(connection: Connection): Promise<string> {
    return this.#deps.connections.fingerprintOf(connection);
  }

  /** Sums up the usage of today. Also updates the tooltip if the key is the active one. */
  async #look(connection: Connection, fingerprint: string) {
    const day = dayOf(this.#now());
    const usedToday = await this.#ledger.today(fingerprint);
    const today = usedToday();
    const total = totalOf(today);
    if (total.requests > 0) setContextKey('hasUsage');
    const usageToday = () =>
      day === dayOf(this.#now())
        ? texts.todayLine(connection, total, readSettings().dailyTokenBudget)
        : undefined;
    if (this.#active?.hasSameKeyAs(connection)) this.#deps.status.update({ usageToday });
    const budget = readSettings().dailyTokenBudget;
    const usedNow = () => ({
      fingerprint,
      tokens: texts.tokensOf(totalOf(usedToday())),
      budget,
    });
    return { day, today, use: usedNow(), usedNow };
  }
}

/** Shows text in a read-only editor, which has nothing to save when it closes. */
async function showText(text: string): Promise<void> {
  const provider = { provideTextDocumentContent: () => text };
  const registered = workspace.registerTextDocumentContentProvider(SCHEME, provider);
  try {
    // Each address is unique, because VS Code caches the text of a closed document for minutes.
    const uri = Uri.from({ scheme: SCHEME, path: '/Usage.md', query: randomUUID() });
    await window.showTextDocument(await workspace.openTextDocument(uri));
  } finally {
    registered.dispose();
  }
}
