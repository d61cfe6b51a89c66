import { Disposable, EventEmitter, lm } from 'vscode';
import type { Connection } from '../service/connection.ts';
import type { ChatProvider } from './chatProvider.ts';
import type { GenerateTool, GenerateToolInput } from './generateTool.ts';

/** The parts that serve VS Code's chat. */
export interface Chat {
  readonly provider: ChatProvider;
  readonly tool: GenerateTool;
  /** Runs *Use in Chat*. See `startChat`. */
  readonly start: (
    requireConnection: () => Promise<Connection | undefined>,
    signOutSignal: AbortSignal,
  ) => Promise<void>;
}

export interface OfferedModels extends Disposable {
  /** Makes VS Code request the models again. */
  refresh(): void;
}

/**
 * Registers the models and the tool with VS Code at activation. The code behind them loads on first
 * use.
 * @param mayHaveModels returns false if there can't be any models. VS Code requests the models in
 * every window, so this check avoids loading the chat just to return an empty list.
 * @param load loads the chat on the first call, and returns the same instance on every call
 */
export function offerModels(
  mayHaveModels: () => boolean,
  load: () => Promise<Chat>,
): OfferedModels {
  const changes = new EventEmitter<void>();
  const models = lm.registerLanguageModelChatProvider('hosted-model', {
    onDidChangeLanguageModelChatInformation: changes.event,
    provideLanguageModelChatInformation: async (options) =>
      mayHaveModels() ? (await load()).provider.information(options) : [],
    provideLanguageModelChatResponse: async (...request) =>
      (await load()).provider.respond(...request),
    provideTokenCount: async (_, text) => (await load()).provider.count(text),
  });
  const tool = lm.registerTool<GenerateToolInput>('hosted_model_generate', {
    prepareInvocation: async (call) => (await load()).tool.prepareInvocation(call),
    invoke: async (...call) => (await load()).tool.invoke(...call),
  });
  return {
    refresh: () => changes.fire(),
    dispose: () => Disposable.from(models, tool, changes).dispose(),
  };
}
