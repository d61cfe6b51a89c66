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
import { ChatError } from './chatAnswer.ts';
import * as texts from './chatMessages.ts';
import type { ChatProvider } from './chatProvider.ts';

/** A tool by which other models hand a text to the hosted one. */

export interface GenerateToolInput {
  readonly prompt: string;
}

/** Characters; whatever is sent is billed. */
const LONGEST_PROMPT = 100_000;

export class GenerateTool implements LanguageModelTool<GenerateToolInput> {
  readonly #chat: ChatProvider;

  constructor(chat: ChatProvider) {
    this.#chat = chat;
  }

  /** VS Code asks the user before the tool runs, with these words. */
  async prepareInvocation({
    input,
  }: LanguageModelToolInvocationPrepareOptions<GenerateToolInput>): Promise<PreparedToolInvocation> {
    // Nothing is sent then, so that there is nothing to ask.
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

  /** A failure is a result: an agent answers an exception with another try, and another. */
  async invoke(
    { input }: LanguageModelToolInvocationOptions<GenerateToolInput>,
    token: CancellationToken,
  ): Promise<LanguageModelToolResult> {
    const prompt = promptOf(input);
    // Any extension can call a tool, whether agents are offered it or not.
    if (!readSettings().offersTool) return resultOf(failure('not_offered', texts.TOOL_IS_OFF));
    if (prompt.trim() === '' || prompt.length > LONGEST_PROMPT) {
      return resultOf(failure('prompt_refused', texts.toolPromptText(LONGEST_PROMPT)));
    }
    try {
      return resultOf({ status: 'done', text: await this.#chat.generate(prompt, token) });
    } catch (error) {
      return resultOf(failure(causeOf(error), await this.#chat.sentenceFor(error)));
    }
  }
}

/** A word for other models, the same for the same cause. */
function causeOf(error: unknown): string {
  if (error instanceof ChatError) return 'refused';
  if (!(error instanceof ServiceError)) return 'unknown';
  return error.details.code === TOKEN_EXPIRED ? 'token_expired' : error.kind.replaceAll('-', '_');
}

function failure(cause: string, message: string) {
  return { status: 'failed', cause, message, advice: texts.TOOL_ADVICE };
}

function resultOf(result: object): LanguageModelToolResult {
  return new LanguageModelToolResult([new LanguageModelTextPart(JSON.stringify(result))]);
}

/** Models write their input themselves, whatever the schema says. */
function promptOf(input: Partial<GenerateToolInput> | undefined): string {
  return typeof input?.prompt === 'string' ? input.prompt : '';
}
