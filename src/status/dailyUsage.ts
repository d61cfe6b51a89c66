import { randomUUID } from 'node:crypto';
import { commands, type Memento, Uri, window, workspace } from 'vscode';
import { readSettings } from '../config/settings.ts';
import type { Connection } from '../service/connection.ts';
import { inform } from '../ui/notify.ts';
import { DailyBudget } from './dailyBudget.ts';
import { dayOf, totalOf, UsageLedger, type UsedRequest } from './usageLedger.ts';
import * as texts from './usageMessages.ts';

const SCHEME = 'hosted-model-usage';
/** Used in place of a deployment's model ID, which is unknown. */
const OWN_MODEL = 'deployment';

export interface UsageDeps {
  readonly globalState: Memento;
  readonly connections: { fingerprintOf(connection: Connection): Promise<string> };
  /** The status item, whose tooltip shows the usage line until the day is over. */
  readonly status: {
    update(facts: { readonly usageToday: (() => string | undefined) | undefined }): void;
  };
}

/**
 * The result of checking the budget for a chat request. If the request may be sent, its estimated
 * tokens count toward the budget until `end` is called.
 */
export interface Claim {
  /** The message to show if the request is rejected; undefined if the request may be sent. */
  readonly rejection: string | undefined;
  /** Removes the estimate from the total. Later calls have no effect. */
  readonly end: () => void;
}

/**
 * Counts the usage of each key, or of each service that needs no key, and compares it with the
 * daily budget.
 */
export class Usage {
  readonly #deps: UsageDeps;
  readonly #ledger: UsageLedger;
  readonly #budget: DailyBudget;
  readonly #now: () => number;
  /** The connection whose usage the tooltip shows. */
  #active: Connection | undefined;
  /** The estimated tokens of all chat requests in progress, keyed by fingerprint. */
  readonly #claimed = new Map<string, number>();
  #hasUsage = false;

  /**
   * @param storage the extension's storage folder
   * @param now returns milliseconds since 1970
   */
  constructor(deps: UsageDeps, storage: Uri, now = Date.now) {
    this.#deps = deps;
    this.#ledger = new UsageLedger(storage, now);
    this.#budget = new DailyBudget(deps.globalState, now);
    this.#now = now;
  }

  /**
   * Shows today's usage of this connection's key in the tooltip. Without a connection, shows no
   * usage.
   */
  async setActive(connection: Connection | undefined): Promise<void> {
    const before = this.#active;
    this.#active = connection;
    if (connection === before || (before && connection?.hasSameKeyAs(before))) return;
    this.#deps.status.update({ usageToday: undefined });
    if (connection) await this.#readUsage(connection, await this.#fingerprintOf(connection));
  }

  /**
   * Counts a request, saves the counters, and notifies the user if the budget is used up or nearly
   * used up. Never rejects, because a lost count must not make the request fail.
   * @param claim the estimate to replace with the actual usage
   */
  async record(connection: Connection, request: UsedRequest, claim?: Claim): Promise<void> {
    try {
      const fingerprint = await this.#fingerprintOf(connection);
      const model = request.model || OWN_MODEL;
      const kept = this.#ledger.record(fingerprint, { ...request, model });
      claim?.end();
      await kept;
      this.#budget.notify((await this.#readUsage(connection, fingerprint)).use);
    } catch {
      claim?.end();
    }
  }

  /**
   * Returns the message to show if requests from chat and other extensions are rejected; undefined
   * if they're allowed.
   */
  async rejection(connection: Connection): Promise<string | undefined> {
    return (await this.claim(connection, 0)).rejection;
  }

  /**
   * Checks the budget for a chat request, and counts its estimated tokens until the claim ends.
   * Without the estimates, concurrent requests could exceed the budget, because their actual usage
   * isn't known until they finish.
   */
  async claim(connection: Connection, tokens: number): Promise<Claim> {
    const { dailyTokenBudget } = readSettings();
    if (dailyTokenBudget === 'invalid') return { rejection: texts.BAD_BUDGET, end: () => {} };
    if (dailyTokenBudget === 0) return { rejection: undefined, end: () => {} };
    const fingerprint = await this.#fingerprintOf(connection);
    const { usedNow } = await this.#readUsage(connection, fingerprint);
    // Don't use `await` from here on. During an `await`, another request could claim the same part
    // of the budget. Also, a request that ends in the meantime could be missing from both the usage
    // and the estimates.
    const use = usedNow();
    this.#budget.notify(use);
    const claimed = () => this.#claimed.get(fingerprint) ?? 0;
    const add = (more: number) => this.#claimed.set(fingerprint, claimed() + more);
    if (!this.#budget.allowsRequests({ ...use, tokens: use.tokens + claimed() })) {
      return { rejection: texts.rejectionText(use.budget), end: () => {} };
    }
    let left = tokens;
    add(left);
    const end = () => {
      add(-left);
      left = 0;
    };
    return { rejection: undefined, end };
  }

  /**
   * True if this connection's key was used today, or if this window has already found usage of any
   * key.
   */
  async hasUsage(connection: Connection | undefined): Promise<boolean> {
    if (connection) await this.#readUsage(connection, await this.#fingerprintOf(connection));
    return this.#hasUsage;
  }

  /** Runs *Show Usage*. */
  async show(connection: Connection | undefined): Promise<void> {
    if (!connection) return inform(texts.NOT_READY);
    const fingerprint = await this.#fingerprintOf(connection);
    const { day, today, use } = await this.#readUsage(connection, fingerprint);
    const session = this.#ledger.session(fingerprint);
    const { dailyTokenBudget: budget } = readSettings();
    await showText(texts.usageText({ day, today, session, budget }));
    if (!this.#budget.allowsRequests(use)) await this.#budget.offer(use);
  }

  #fingerprintOf(connection: Connection): Promise<string> {
    return this.#deps.connections.fingerprintOf(connection);
  }

  /** Adds up today's usage of a key. Updates the tooltip if it shows this key's usage. */
  async #readUsage(connection: Connection, fingerprint: string) {
    const day = dayOf(this.#now());
    const usedToday = await this.#ledger.today(fingerprint);
    const today = usedToday();
    const total = totalOf(today);
    if (total.requests > 0) this.#hasUsage = true;
    const usageToday = () =>
      day === dayOf(this.#now()) ? texts.todayLine(connection, total, budgetInTokens()) : undefined;
    if (this.#active?.hasSameKeyAs(connection)) this.#deps.status.update({ usageToday });
    const budget = budgetInTokens();
    const usedNow = () => ({
      fingerprint,
      tokens: texts.tokensOf(totalOf(usedToday())),
      budget,
    });
    return { day, today, use: usedNow(), usedNow };
  }
}

/** Returns the daily budget; 0 if there is none or if the setting is invalid. */
function budgetInTokens(): number {
  const { dailyTokenBudget } = readSettings();
  return dailyTokenBudget === 'invalid' ? 0 : dailyTokenBudget;
}

/** Shows Markdown as a rendered preview, or as text if VS Code's Markdown extension is disabled. */
async function showText(text: string): Promise<void> {
  const provider = { provideTextDocumentContent: () => text };
  const registered = workspace.registerTextDocumentContentProvider(SCHEME, provider);
  try {
    // Each URI is unique, because VS Code caches the text of a closed document for a few minutes.
    const uri = Uri.from({ scheme: SCHEME, path: '/Usage.md', query: randomUUID() });
    await workspace.openTextDocument(uri);
    await commands
      .executeCommand('markdown.showPreview', uri)
      .then(undefined, () => window.showTextDocument(uri));
  } finally {
    registered.dispose();
  }
}
