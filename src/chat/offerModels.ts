import { Disposable, EventEmitter, lm } from 'vscode';
import type { Connection } from '../service/connection.ts';
import type { ChatProvider } from './chatProvider.ts';
import type { GenerateTool, GenerateToolInput } from './generateTool.ts';

/** What answers VS Code's chat. */
export interface Chat {
  readonly provider: ChatProvider;
  readonly tool: GenerateTool;
  /** *Use in Chat*: see `startChat`. */
  readonly start: (
    requireConnection: () => Promise<Connection | undefined>,
    signOutSignal: AbortSignal,
  ) => Promise<void>;
}

export interface OfferedModels extends Disposable {
  /** Has VS Code ask for the models again. */
  refresh(): void;
}

/**
 * Offers the models and the tool to VS Code, which asks for the one and runs the other whenever it
 * likes. All of chat that activation pays for.
 * @param load what answers, once VS Code asks
 */
export function offerModels(load: () => Promise<Chat>): OfferedModels {
  const changes = new EventEmitter<void>();
  const models = lm.registerLanguageModelChatProvider('hosted-model', {
    onDidChangeLanguageModelChatInformation: changes.event,
    provideLanguageModelChatInformation: async (options) =>
      (await load()).provider.information(options),
    provideLanguageModelChatResponse: async (...request) =>
      (await load()).provider.respond(...request),
    provideTokenCount: async (_, text) => (await load()).provider.count(text),
  });
  const tool = lm.registerTool<GenerateToolInput>('hosted_model_generate', {
    prepareInvocation: async (call) => (await load()).tool.prepareInvocation(call),
    invoke: async (...call) => (await load()).tool.invoke(...call),
  });
  // VS Code may have asked before there was anybody to answer.
  changes.fire();
  return {
    refresh: () => changes.fire(),
    dispose: () => Disposable.from(models, tool, changes).dispose(),
  };
}
