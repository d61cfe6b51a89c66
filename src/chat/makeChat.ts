import { type ChatDeps, ChatProvider } from './chatProvider.ts';
import { GenerateTool } from './generateTool.ts';
import type { Chat } from './offerModels.ts';
import { startChat } from './useInChat.ts';

/**
 * Creates the parts that serve VS Code's chat. This module loads when VS Code or a command first
 * needs chat.
 * @param onModelsChange makes VS Code request the models again
 */
export function makeChat(deps: ChatDeps, extensionId: string, onModelsChange: () => void): Chat {
  const provider = new ChatProvider(deps, extensionId, onModelsChange);
  return {
    provider,
    tool: new GenerateTool(provider),
    start: (requireConnection, signOutSignal) =>
      startChat(provider, requireConnection, signOutSignal),
  };
}
