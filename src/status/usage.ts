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

/** What usage needs from the rest of the extension. */
export interface UsageDeps {
  readonly globalState: Memento;
  readonly connections: { fingerprintOf(connection: Connection): Promise<string> };
  /** Shows a line, as long as it is about today. */
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

/** What was used by whom, and what may be: the one door to it for commands, generations and chat. */
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
   * @param storage folder of the extension, in which the counters are kept
   * @param now wall-clock milliseconds
   */
  constructor(deps: UsageDeps, storage: Uri, now = Date.now) {
    this.#deps = deps;
    this.#ledger = new UsageLedger(storage, now);
    this.#budget = new DailyBudget(deps.globalState, now);
    this.#now = now;
  }

  /**
   * Shows the usage of this connection in the tooltip, instead of the usage of others.
   * @returns once it is shown
   */
  async setActive(connection: Connection | undefined): Promise<void> {
    const before = this.#active;
    this.#active = connection;
    if (connection === before || (before && connection?.hasSameKeyAs(before))) return;
    this.#deps.status.update({ usageToday: undefined });
    if (connection) await this.#look(connection, await this.#fingerprintOf(connection));
  }

  /**
   * @param claim the estimate that this record replaces
   * @returns once the record is saved; never rejects, since a lost count must not stop a generation
   */
  async record(connection: Connection, request: UsedRequest, claim?: Claim): Promise<void> {
    try {
      const fingerprint = await this.#fingerprintOf(connection);
      const kept = this.#ledger.record(fingerprint, request);
      claim?.end();
      await kept;
      this.#budget.tell((await this.#look(connection, fingerprint)).use);
    } catch {
      // Nobody would miss an answer for a number.
      claim?.end();
    }
  }

  /** Why chat and other extensions get no answer now; undefined if they do. */
  async refusal(connection: Connection): Promise<string | undefined> {
    return (await this.claim(connection, 0)).refusal;
  }

  /**
   * Checks the budget for a chat request, and counts an estimate until the request is recorded or
   * has failed. The real usage of concurrent requests is known only after they end.
   * @param tokens the estimate
   */
  async claim(connection: Connection, tokens: number): Promise<Claim> {
    if (readSettings().dailyTokenBudget === 0) return { refusal: undefined, end: () => {} };
    const fingerprint = await this.#fingerprintOf(connection);
    const { usedNow } = await this.#look(connection, fingerprint);
    // Nothing is awaited from here on, so that two concurrent requests can't both take the last
    // tokens, and none that has just ended is missing in both numbers.
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

  /** *Show Usage*. @param connection in use; undefined without any */
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

  /** Sums up the day, for the tooltip, too, if the key is the active one. */
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

/** Read-only, and nothing to save when it is closed. */
async function showText(text: string): Promise<void> {
  const provider = { provideTextDocumentContent: () => text };
  const registered = workspace.registerTextDocumentContentProvider(SCHEME, provider);
  try {
    // No address comes twice: of a closed one VS Code keeps the text for minutes.
    const uri = Uri.from({ scheme: SCHEME, path: '/Usage.md', query: randomUUID() });
    await window.showTextDocument(await workspace.openTextDocument(uri));
  } finally {
    registered.dispose();
  }
}
