import { commands, type Memento, window } from 'vscode';
import { inform } from '../ui/notify.ts';
import { dayOf } from './usageLedger.ts';
import * as texts from './usageMessages.ts';

/** What one key has used on a day, and what it may. */
export interface DayUse {
  readonly fingerprint: string;
  readonly tokens: number;
  /** Tokens a day; 0 for no budget. */
  readonly budget: number;
}

/** What is remembered of a key until the day ends: what was said, and that it goes on. */
type Note = 'near' | 'spent' | 'continued';

const NOTES = 'hostedModel.budget';
const NEAR = 0.8;

/** Pure. */
export function budgetState({ tokens, budget }: Omit<DayUse, 'fingerprint'>) {
  if (budget === 0 || tokens < NEAR * budget) return 'free';
  return tokens < budget ? 'near' : 'spent';
}

/** Says once a day and key, in whichever window, how much of the budget is used. */
export class DailyBudget {
  readonly #state: Memento;
  readonly #now: () => number;

  /** @param now wall-clock milliseconds */
  constructor(state: Memento, now: () => number) {
    this.#state = state;
    this.#now = now;
  }

  tell(use: DayUse): void {
    const state = budgetState(use);
    if (state === 'free' || this.#has(state, use)) return;
    this.#keep(state, use);
    if (state === 'near') inform(texts.nearText(use.tokens, use.budget));
    else void this.offer(use);
  }

  /** False where the budget is used up, and nobody has said that it goes on: for all but selections. */
  mayGo(use: DayUse): boolean {
    return budgetState(use) !== 'spent' || this.#has('continued', use);
  }

  /** Says that the budget is used up, and lets the user go on for today. */
  async offer(use: DayUse): Promise<void> {
    const day = dayOf(this.#now());
    const { CONTINUE_TODAY, SHOW_USAGE } = texts;
    const text = texts.spentText(use.tokens, use.budget);
    const picked = await window.showWarningMessage(text, CONTINUE_TODAY, SHOW_USAGE);
    if (picked === SHOW_USAGE) await commands.executeCommand('hostedModel.showUsage');
    // A message that was left open overnight is about yesterday.
    if (picked === CONTINUE_TODAY && day === dayOf(this.#now())) this.#keep('continued', use);
  }

  #has(note: Note, { fingerprint }: DayUse): boolean {
    return this.#noted(note).includes(fingerprint);
  }

  #keep(note: Note, { fingerprint }: DayUse): void {
    const keys = [...this.#noted(note), fingerprint];
    // One record for each kind: another window may write another one at this moment.
    const kept = this.#state.update(`${NOTES}.${note}`, { day: dayOf(this.#now()), keys });
    // What cannot be stored holds in this window.
    kept.then(undefined, () => {});
  }

  /** The keys that this was noted of today. */
  #noted(note: Note): readonly string[] {
    const kept = this.#state.get<{ readonly day: string; readonly keys: readonly string[] }>(
      `${NOTES}.${note}`,
    );
    return kept?.day === dayOf(this.#now()) ? kept.keys : [];
  }
}
