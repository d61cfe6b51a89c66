/** What loads with the first question that VS Code's chat asks, or the first command about it. */

export { forgetCallers } from './chatCallers.ts';
export { ChatProvider } from './chatProvider.ts';
export { GenerateTool } from './generateTool.ts';
export { startChat } from './useInChat.ts';
