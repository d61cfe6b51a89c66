import { randomUUID } from 'node:crypto';
import { type Memento, Uri, window, workspace } from 'vscode';
import type { Credentials } from '../service/credentials.ts';
import { isKind } from '../service/errors.ts';
import type { Generation } from '../service/generation/answerReader.ts';
import { estimateTokens } from '../service/models/modelLimits.ts';
import { readSettings } from '../settings.ts';
import { inform } from '../ui/notify.ts';
import { DailyBudget } from './budget.ts';
import { dayOf, totalOf, UsageLedger, type UsedRequest, type UsedTokens } from './usageLedger.ts';
import * as texts from './usageMessages.ts';

const SCHEME = 'hosted-model-usage';

/** What usage needs from the rest of the extension. */
export interface UsageDeps {
  readonly globalState: Memento;
  readonly access: () => Promise<{ fingerprintOf(credentials: Credentials): Promise<string> }>;
  /** Shows a line, as long as it is about today. */
  readonly status: {
    update(facts: { readonly usageToday: () => string | undefined }): void;
  };
}

/** What was used by whom, and what may be: the one door to it for commands, generations and chat. */
export class Usage {
  readonly #deps: UsageDeps;
  readonly #ledger: UsageLedger;
  readonly #budget: DailyBudget;
  readonly #now: () => number;

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

  /** @returns once it is kept, for a test: it never rejects, since it keeps nobody from working */
  async record(credentials: Credentials, request: UsedRequest): Promise<void> {
    try {
      const fingerprint = await this.#fingerprintOf(credentials);
      await this.#ledger.record(fingerprint, request);
      this.#budget.tell((await this.#look(fingerprint)).use);
    } catch {
      // Nobody would miss an answer for a number.
    }
  }

  /** Why chat and other extensions get no answer now; undefined if they do. */
  async refusal(credentials: Credentials): Promise<string | undefined> {
    if (readSettings().dailyTokenBudget === 0) return undefined;
    const { use } = await this.#look(await this.#fingerprintOf(credentials));
    this.#budget.tell(use);
    return this.#budget.mayGo(use) ? undefined : texts.refusalText(use.budget);
  }

  /** *Show Usage*. @param credentials in use; undefined without any */
  async show(credentials: Credentials | undefined): Promise<void> {
    if (!credentials) return inform(texts.NO_KEY);
    const fingerprint = await this.#fingerprintOf(credentials);
    const { day, today, use } = await this.#look(fingerprint);
    const session = this.#ledger.session(fingerprint);
    await showText(texts.usageText({ day, today, session, budget: use.budget }));
    if (!this.#budget.mayGo(use)) await this.#budget.offer(use);
  }

  async #fingerprintOf(credentials: Credentials): Promise<string> {
    return (await this.#deps.access()).fingerprintOf(credentials);
  }

  /** Sums up the day, for the tooltip, too. */
  async #look(fingerprint: string) {
    const day = dayOf(this.#now());
    const today = await this.#ledger.today(fingerprint);
    const total = totalOf(today);
    const usageToday = () =>
      day === dayOf(this.#now())
        ? texts.todayLine(total, readSettings().dailyTokenBudget)
        : undefined;
    this.#deps.status.update({ usageToday });
    const budget = readSettings().dailyTokenBudget;
    return { day, today, use: { fingerprint, tokens: texts.tokensOf(total), budget } };
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

/**
 * Waits for the answer to a request, and counts what it has used: by the service, or by estimate where
 * that has not said. One that failed without a word of an answer counts as nothing.
 * @param read all that the model has read and said, at the end
 */
export async function counted<Answer extends Pick<Generation, 'usage'>>(
  answer: Promise<Answer>,
  read: () => { readonly prompt: string; readonly said: string },
  count: (used: UsedTokens) => void,
): Promise<Answer> {
  const estimate = () => {
    const { prompt, said } = read();
    const tokens = { inputTokens: estimateTokens(prompt), outputTokens: estimateTokens(said) };
    count({ ...tokens, isEstimate: true });
  };
  const done = await answer.catch((error: unknown) => {
    const wasSent = isKind(error, 'cancelled') && (error.details.attempts ?? 0) > 0;
    if (wasSent || read().said !== '') estimate();
    throw error;
  });
  const { usage } = done;
  if (usage.inputTokens + usage.outputTokens > 0) count({ ...usage, isEstimate: false });
  else estimate();
  return done;
}
