import { formatNumber } from '../messages/rejectionMessages.ts';
import { type LabelContext, needsSetting, settingLabel } from '../messages/settingLabels.ts';
import { oneLine } from '../ui/oneLine.ts';
import { totalOf, type UsageRow, type UsageTotal } from './usageLedger.ts';

/** Messages about usage and the daily budget. Pure. */

// Buttons
export const CONTINUE_TODAY = 'Continue Today';
export const SHOW_USAGE = 'Show Usage';

export const NOT_READY = 'No service is ready. Run “Hosted Model: Set Up...”.';

export function nearText(tokens: number, budget: number): string {
  return `You’ve used ${formatNumber(tokens)} of today’s ${formatNumber(budget)}-token budget.`;
}

export function spentText(tokens: number, budget: number): string {
  return `Today’s budget of ${formatNumber(budget)} tokens is used up (${formatNumber(tokens)} used). Chat, agents, and other extensions can’t send requests until tomorrow. You can still generate from selections.`;
}

/**
 * Returns the message for a rejected request. It names a command, because the chat doesn't show
 * buttons.
 */
export function rejectionText(budget: number): string {
  return `Nothing was sent, because today’s budget of ${formatNumber(budget)} tokens is used up. Run “Hosted Model: Show Usage” and select “Continue Today”, or raise hostedModel.dailyTokenBudget.`;
}

/** The message for requests that are rejected because the budget setting is invalid. */
export const BAD_BUDGET =
  'Nothing was sent, because hostedModel.dailyTokenBudget is invalid. Set it to a number of tokens, or to 0 for no limit.';

/**
 * Returns the tooltip line about today's usage.
 * @param budget tokens per day; 0 if there is no budget
 */
export function todayLine(context: LabelContext, total: UsageTotal, budget: number): string {
  const requests = total.requests === 1 ? '1 request' : `${formatNumber(total.requests)} requests`;
  const tokens = tokensText(tokensOf(total), total.isEstimate);
  const used = `${requests}, ${tokens}${budget > 0 ? ` of ${formatNumber(budget)}` : ''} tokens`;
  const what = needsSetting('apiKey', context) ? settingLabel('apiKey', context) : 'service';
  return `Today’s usage with this ${what} in all windows: ${used}`;
}

export interface ShownUsage {
  /** The local date (YYYY-MM-DD). */
  readonly day: string;
  readonly today: readonly UsageRow[];
  readonly session: readonly UsageRow[];
  /** The daily budget in tokens; 0 if there is no budget. */
  readonly budget: number | 'invalid';
}

/** Returns the Markdown document that *Show Usage* opens. */
export function usageText({ day, today, session, budget }: ShownUsage): string {
  return `# Usage

Daily budget: ${budgetText(tokensOf(totalOf(today)), budget)}

## Today, ${day}

${tableOf(today)}

## This session

${tableOf(session)}

_Today_ covers all windows. _This session_ covers only this window. Both sections count only requests made with your current key or, if your current service needs no key, requests to that service. The ≈ sign marks estimates for requests whose usage the service didn’t report, such as canceled ones. Your bill may differ.
`;
}

function budgetText(used: number, budget: ShownUsage['budget']): string {
  if (budget === 'invalid') {
    return 'invalid. Chat, agents, and other extensions can’t send requests until you correct `hostedModel.dailyTokenBudget`.';
  }
  if (budget === 0) return 'none. Set one with `hostedModel.dailyTokenBudget`.';
  const percent = Math.floor((100 * used) / budget);
  return `${formatNumber(used)} of ${formatNumber(budget)} tokens used (${percent}%).`;
}

/**
 * Returns a Markdown table with the highest usage first and the total last. If there are no rows,
 * returns a sentence instead.
 */
function tableOf(rows: readonly UsageRow[]): string {
  if (rows.length === 0) return 'No requests.';
  const sorted = rows.toSorted((one, other) => tokensOf(other) - tokensOf(one));
  const shown = sorted.map((row) => ({ ...row, model: codeOf(row.model) }));
  const lines = [...shown, { ...totalOf(rows), model: 'Total', caller: '' }].map((row) => {
    const { model, caller, requests, isEstimate } = row;
    const [input, output] = [row.inputTokens, row.outputTokens].map((tokens) =>
      tokensText(tokens, isEstimate),
    );
    return `| ${model} | ${caller} | ${formatNumber(requests)} | ${input} | ${output} |`;
  });
  const head = '| Model | Caller | Requests | Tokens in | Tokens out |\n|---|---|--:|--:|--:|';
  return [head, ...lines].join('\n');
}

/**
 * Formats a model ID as code in a table cell. Replaces characters that would end the code or the
 * cell.
 */
function codeOf(model: string): string {
  return `\`${oneLine(model).replace(/[`|\\]/g, ' ')}\``;
}

export function tokensOf({ inputTokens, outputTokens }: UsageTotal): number {
  return inputTokens + outputTokens;
}

function tokensText(tokens: number, isEstimate: boolean): string {
  return `${isEstimate ? '≈' : ''}${formatNumber(tokens)}`;
}
