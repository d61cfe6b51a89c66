import { ACTION_LABELS, type Action, type Message } from '../messages/actions.ts';
import { endedEarlyText, secretNames } from '../messages/messages.ts';
import { formatNumber } from '../messages/rejectionMessages.ts';
import { listOf, needsSetting, resourceName, settingLabel } from '../messages/settingLabels.ts';
import { TRUNCATION_REASONS, type TruncationReason } from '../service/api/stopReason.ts';
import type { PublicCredentials } from '../service/connection.ts';
import { type ErrorKind, ServiceError } from '../service/errors.ts';
import { oneLine } from '../ui/oneLine.ts';
import { AI_SETTING, UTILITY_MODEL_SETTING } from '../undocumentedApi.ts';

/**
 * Messages for VS Code's chat: failures, confirmations, and the UI strings for *Use in Chat*. Pure.
 */

/**
 * Returns the tooltip for a model in VS Code's model list.
 * @param withdrawn the withdrawal date, formatted as YYYY-MM-DD
 */
export function modelTooltip(id: string, provider: string, withdrawn: string | undefined): string {
  const end = withdrawn ? ` Withdrawal date: ${withdrawn}.` : '';
  return `${id}${provider && ` by ${provider}`}, through Hosted Model.${end}`;
}

// Failure messages. The chat shows errors without buttons, so these messages contain instructions
// instead.

export const NOT_SET_UP =
  'Hosted Model isn’t ready. Run “Hosted Model: Set Up...” from the Command Palette, or “Hosted Model: Diagnose Connection” to see what’s missing.';
export const EMPTY_RESPONSE =
  'The model’s response was empty. Rephrase the request, or select another model.';
export const ONLY_REASONING =
  'The model’s response contained only its reasoning. Try again, or select another model.';
export const UNREADABLE_CALL =
  'The model sent a malformed tool call. Try again, or select a model that’s better at calling tools.';
export const CALLER_REJECTED =
  'You didn’t allow this extension to use Hosted Model. To be asked again, select the extension in “Hosted Model: Show Status and Actions”.';

/** Returns the text to add to a truncated response in VS Code's chat. */
export function truncationNotice(reason: TruncationReason): string {
  return reason === 'max_tokens'
    ? '[The response reached the token limit. Ask the model to continue, or raise max_new_tokens in hostedModel.parameters.]'
    : '[The response reached the time limit. Ask the model to continue.]';
}

/** Removes the notice from a truncated response so that the model doesn't imitate it. */
export function withoutNotice(text: string): string {
  const notice = TRUNCATION_REASONS.map(truncationNotice).find((each) => text.endsWith(each));
  return notice ? text.slice(0, -notice.length).trimEnd() : text;
}

/** Returns the error message for a truncated response. */
export function truncatedMessage(reason: TruncationReason): string {
  return reason === 'max_tokens'
    ? 'The response reached the token limit. Raise max_new_tokens in hostedModel.parameters, or ask for a shorter response.'
    : 'The response reached the time limit. Ask for a shorter response.';
}

const TOO_LARGE = 'The conversation is too large to send. Start a new chat, or attach fewer files.';

/** Messages for error kinds whose usual message doesn't make sense in chat. */
const CHAT_MESSAGES: Partial<Record<ErrorKind, (error: ServiceError) => string>> = {
  'prompt-holds-secret': ({ details: { secretKinds = [] } }) =>
    `Nothing was sent, because the conversation contains ${secretNames(secretKinds)}, probably from a file. Start a new chat without ${secretKinds.length > 1 ? 'them' : 'it'}.`,
  // Don't mention the received text, because the chat may not show all of it.
  incomplete: ({ details }) => `${endedEarlyText(details)} Try again.`,
  'prompt-too-long': ({ details: { limit, actual } }) =>
    `The conversation is too long for the model${limit && actual ? `: ${formatNumber(actual)} tokens, but the limit is ${formatNumber(limit)}` : ''}. Start a new chat, or attach fewer files.`,
};

function runAdvice(title: string): string {
  return `Run “Hosted Model: ${title}” from the Command Palette.`;
}

/** Advice to show in the chat in place of each button. */
const CHAT_ADVICE: Readonly<Record<Exclude<Action, 'retry'>, string>> = {
  setUp: runAdvice(ACTION_LABELS.setUp),
  selectModel: runAdvice(ACTION_LABELS.selectModel),
  refreshToken: runAdvice(ACTION_LABELS.refreshToken),
  diagnose: runAdvice(ACTION_LABELS.diagnose),
  changeKey: runAdvice(ACTION_LABELS.changeKey),
  changeProject: runAdvice('Set Up...'),
  openSettings: 'Open VS Code’s settings and search for “Hosted Model”.',
  openEnvFile: 'Edit the .env file in the root of your workspace folder.',
};

/**
 * Returns the message to show in the chat for a failure.
 * @param message the general message for the failure; undefined if the user canceled
 */
export function chatFailure(error: unknown, message: Message | undefined): string {
  if (error instanceof ServiceError) {
    const ending = CHAT_MESSAGES[error.kind];
    if (ending) return ending(error);
    // `actual` is set only if the request, not the response, is too large. The size of an oversized
    // response is unknown, because reading stops at the limit.
    if (error.kind === 'too-large' && error.details.actual) return TOO_LARGE;
  }
  if (!message) return 'Canceled.';
  const action = message.actions.find((one) => one !== 'retry');
  return action ? `${message.text} ${CHAT_ADVICE[action]}` : message.text;
}

/** True if a Markdown renderer might turn the text into a link, even without markup. */
export function becomesLink(text: string): boolean {
  return /:\/\/|www\.|@/i.test(text);
}

/** Escapes text for Markdown. Words that might become links are formatted as code. */
export function escapeMarkdown(text: string): string {
  const words = text.split(' ').map((word) => (becomesLink(word) ? codeSpan(word) : escaped(word)));
  return words.join(' ');
}

function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>&|~]/g, String.raw`\$&`);
}

/** Formats text as inline code in Markdown, even if it contains backticks. */
function codeSpan(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  return runs.length > 0 ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

// Other extensions

export const ALLOW = 'Allow';
export const DENY = 'Don’t Allow';

/** @param id extension ID; empty if VS Code doesn't provide it */
export function callerQuestion(id: string): string {
  return id === ''
    ? 'Let an unidentified extension use your hosted model?'
    : `Let the extension ${id} use your hosted model?`;
}

export function callerDetail(connection: PublicCredentials): string {
  const { projectId, resource } = connection;
  const key = needsSetting('apiKey', connection) ? settingLabel('apiKey', connection) : 'service';
  const bound = listOf([key, 'host', ...(projectId ? [resourceName({ resource })] : [])]);
  return `The extension is requesting a response from the model. If you allow this, the extension’s requests will be sent to ${destinationOf(connection)}. Your decision applies only to your current ${bound}. To be asked again, select the extension in “Show Status and Actions”, or sign out.`;
}

// The tool

export const TOOL_TITLE = 'Send text to your hosted model?';
export const TOOL_RUNNING = 'Generating with your hosted model';
export const TOOL_IS_OFF =
  'This tool is off. The user can turn it on with the hostedModel.offerTool setting.';
export const TOOL_ADVICE = 'Don’t call the tool again until the problem is fixed.';

/** Maximum number of prompt characters that the confirmation shows. */
const MAX_SHOWN = 300;

/** Returns the tool's confirmation in Markdown: the prompt's length, destination, and beginning. */
export function toolQuestion(prompt: string, connection: PublicCredentials): string {
  const destination = destinationOf(connection);
  const question = escapeMarkdown(
    `A prompt of ${formatNumber(prompt.length)} characters will be sent to ${destination}.`,
  );
  const shown = oneLine(prompt, MAX_SHOWN);
  if (shown === '') return question;
  return `${question}\n\n${shown.length === prompt.trim().length ? 'Prompt' : 'Beginning of the prompt'}: ${codeSpan(shown)}`;
}

/** Names the service's host and the project, space, or deployment to bill, if any. */
function destinationOf({ approved, projectId, resource }: PublicCredentials): string {
  const { host } = new URL(approved.service);
  return projectId ? `${host} and billed to ${resourceName({ resource })} ${projectId}` : host;
}

export function toolPromptText(most: number): string {
  return `The prompt can’t be empty or longer than ${formatNumber(most)} characters.`;
}

// First use

/** Measured number of tokens that VS Code's instructions and tools add to each agent step. */
const AGENT_TOKENS = 17_000;

export const USE = 'Use in Chat';

export const USE_QUESTION = {
  question: 'Use your hosted model in VS Code’s chat?',
  detail: `VS Code’s chat will list the models of your services. No GitHub sign-in is needed. This command adds a provider group named “Hosted Model”, and turns on VS Code’s built-in chat if it’s off. The chat is part of the GitHub Copilot extension, which contacts Microsoft hosts even with telemetry off.

Each prompt is sent with your attachments. In Ask mode, or if text is selected, VS Code also attaches the open file. Each agent step sends the names of your files and the contents of the files read so far. Each step also sends about ${formatNumber(AGENT_TOKENS)} tokens of instructions and tool descriptions. The service may bill your account for all of this.

VS Code’s background requests, such as those for chat titles, are off by default. If you turn them on with the ${UTILITY_MODEL_SETTING} setting, the first prompt of each chat results in three requests.`,
} as const;

export const AI_IS_OFF = `AI features are turned off in the settings (${AI_SETTING}), so VS Code’s chat isn’t available.`;
export const NOT_TRUSTED = 'VS Code’s chat needs a trusted workspace.';
export const MANAGE_TRUST = 'Manage Workspace Trust';

/** Messages for failed steps of *Use in Chat*, with instructions for doing each step manually. */
export const FAILED_STEPS = {
  group:
    'Couldn’t add the models to VS Code’s chat. Run “Chat: Manage Language Models”, select “Add Models”, and then select “Hosted Model”.',
  chat: 'VS Code’s built-in chat is still off. Enable the GitHub Copilot extension, which doesn’t require a sign-in, and then run “Use in Chat” again.',
  open: 'Couldn’t open the chat with your model. Open the Chat view, and select the model below the input box.',
} as const;

export const HELP = 'Open Documentation';
export const LISTING = 'Loading models';
export const STARTING = 'Starting VS Code’s chat';
