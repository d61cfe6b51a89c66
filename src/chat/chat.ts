import { type ChatDeps, ChatProvider } from './chatProvider.ts';
import { GenerateTool } from './generateTool.ts';
import type { Chat } from './offerModels.ts';
import { startChat } from './useInChat.ts';

/**
 * Makes what answers VS Code's chat. Loaded with its first request, or the first command about it.
 * @param onModelsChange has VS Code ask for the models again
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
