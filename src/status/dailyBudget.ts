import { commands, type Memento, window } from 'vscode';
import { inform } from '../ui/notify.ts';
import { dayOf } from './usageLedger.ts';
import * as texts from './usageMessages.ts';

/** The number of tokens used with one key today, and the daily budget. */
export interface DayUse {
  readonly fingerprint: string;
  readonly tokens: number;
  /** Tokens per day; 0 for no budget. */
  readonly budget: number;
}

/**
 * A kind of note, kept for the rest of the day. It records that a notice was shown (`near` or
 * `spent`), or that the user picked *Continue Today* (`continued`).
 */
type Note = 'near' | 'spent' | 'continued';

const NOTES = 'hostedModel.budget';
const NEAR = 0.8;

export function budgetState({ tokens, budget }: Omit<DayUse, 'fingerprint'>) {
  if (budget === 0 || tokens < NEAR * budget) return 'free';
  return tokens < budget ? 'near' : 'spent';
}

/**
 * Notifies the user when a key's daily budget is nearly used up, and again when it's used up.
 * `notify` shows each notice at most once per key, budget, and day across all windows.
 */
export class DailyBudget {
  readonly #state: Memento;
  readonly #now: () => number;

  /** @param now returns milliseconds since 1970 */
  constructor(state: Memento, now: () => number) {
    this.#state = state;
    this.#now = now;
  }

  notify(use: DayUse): void {
    const state = budgetState(use);
    if (state === 'free' || this.#has(state, use)) return;
    this.#keep(state, use);
    if (state === 'near') inform(texts.nearText(use.tokens, use.budget));
    else if (!this.allowsRequests(use)) void this.offer(use);
  }

  /**
   * True if chat, agents, and other extensions may send requests: either the budget isn't used up,
   * or the user picked *Continue Today*. The budget doesn't limit generation from selections.
   */
  allowsRequests(use: DayUse): boolean {
    return budgetState(use) !== 'spent' || this.#has('continued', use);
  }

  /** Reports that the budget is used up, and lets the user continue for today. */
  async offer(use: DayUse): Promise<void> {
    const day = dayOf(this.#now());
    const { CONTINUE_TODAY, SHOW_USAGE } = texts;
    const text = texts.spentText(use.tokens, use.budget);
    const picked = await window.showWarningMessage(text, CONTINUE_TODAY, SHOW_USAGE);
    if (picked === SHOW_USAGE) await commands.executeCommand('hostedModel.showUsage');
    // If the message was left open overnight, the choice applies to the previous day, so it isn't
    // stored.
    if (picked === CONTINUE_TODAY && day === dayOf(this.#now())) this.#keep('continued', use);
  }

  #has(note: Note, use: DayUse): boolean {
    return this.#noted(note).includes(noteKey(note, use));
  }

  #keep(note: Note, use: DayUse): void {
    const keys = [...this.#noted(note), noteKey(note, use)];
    // Each kind of note has its own record, because another window may store a different kind of
    // note at the same time.
    const kept = this.#state.update(`${NOTES}.${note}`, { day: dayOf(this.#now()), keys });
    // If the note can't be stored, it still applies in this window.
    kept.then(undefined, () => {});
  }

  /** Returns today's stored `noteKey` values for this kind of note. */
  #noted(note: Note): readonly string[] {
    const kept = this.#state.get<{ readonly day: string; readonly keys: readonly string[] }>(
      `${NOTES}.${note}`,
    );
    return kept?.day === dayOf(this.#now()) ? kept.keys : [];
  }
}

/**
 * Returns the value that is stored for a note. For a notice, the value includes the budget, so the
 * notice is shown again if the budget changes. The user's choice to continue applies for the rest
 * of the day, even if the budget changes.
 */
function noteKey(note: Note, { fingerprint, budget }: DayUse): string {
  return note === 'continued' ? fingerprint : `${fingerprint} ${budget}`;
}
