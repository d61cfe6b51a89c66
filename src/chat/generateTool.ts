import {
  type CancellationToken,
  LanguageModelTextPart,
  type LanguageModelTool,
  type LanguageModelToolInvocationOptions,
  type LanguageModelToolInvocationPrepareOptions,
  LanguageModelToolResult,
  type PreparedToolInvocation,
} from 'vscode';
import { readSettings } from '../config/settings.ts';
import { ServiceError, TOKEN_EXPIRED } from '../service/errors.ts';
import * as texts from './chatMessages.ts';
import type { ChatProvider } from './chatProvider.ts';
import { ChatError } from './chatResponse.ts';

/** A tool that lets other models send a prompt to the hosted model. */

export interface GenerateToolInput {
  readonly prompt: string;
}

/** Maximum prompt length in characters, to limit the cost of a call. */
const MAX_PROMPT_LENGTH = 100_000;

export class GenerateTool implements LanguageModelTool<GenerateToolInput> {
  readonly #chat: ChatProvider;

  constructor(chat: ChatProvider) {
    this.#chat = chat;
  }

  /** Returns the confirmation that VS Code shows before the tool runs. */
  async prepareInvocation({
    input,
  }: LanguageModelToolInvocationPrepareOptions<GenerateToolInput>): Promise<PreparedToolInvocation> {
    // The tool sends nothing while it's off, so there is nothing to confirm.
    if (!readSettings().offersTool) return {};
    const connection = await this.#chat.connection();
    const message = connection
      ? texts.toolQuestion(promptOf(input), connection)
      : texts.escapeMarkdown(texts.NOT_SET_UP);
    return {
      invocationMessage: texts.TOOL_RUNNING,
      confirmationMessages: { title: texts.TOOL_TITLE, message },
    };
  }

  /**
   * Generates a response to the prompt. Returns failures as results, because agents would keep
   * retrying after an exception.
   */
  async invoke(
    { input }: LanguageModelToolInvocationOptions<GenerateToolInput>,
    token: CancellationToken,
  ): Promise<LanguageModelToolResult> {
    const prompt = promptOf(input);
    // Other extensions can call the tool even while it's off and hidden from agents.
    if (!readSettings().offersTool) return resultOf(failure('not_offered', texts.TOOL_IS_OFF));
    if (prompt.trim() === '' || prompt.length > MAX_PROMPT_LENGTH) {
      return resultOf(failure('prompt_rejected', texts.toolPromptText(MAX_PROMPT_LENGTH)));
    }
    try {
      return resultOf({ status: 'done', text: await this.#chat.generate(prompt, token) });
    } catch (error) {
      return resultOf(failure(causeOf(error), await this.#chat.explainAndLog(error)));
    }
  }
}

/** Returns a stable ID for the cause of a failure so that the calling model can act on it. */
function causeOf(error: unknown): string {
  if (error instanceof ChatError) return 'rejected';
  if (!(error instanceof ServiceError)) return 'unknown';
  return error.details.code === TOKEN_EXPIRED ? 'token_expired' : error.kind.replaceAll('-', '_');
}

function failure(cause: string, message: string) {
  return { status: 'failed', cause, message, advice: texts.TOOL_ADVICE };
}

function resultOf(result: object): LanguageModelToolResult {
  return new LanguageModelToolResult([new LanguageModelTextPart(JSON.stringify(result))]);
}

/**
 * Returns the prompt, or an empty string if the prompt isn't a string. Models don't always follow
 * the input schema.
 */
function promptOf(input: Partial<GenerateToolInput> | undefined): string {
  return typeof input?.prompt === 'string' ? input.prompt : '';
}
