import type { LanguageModelResponsePart } from 'vscode';

/**
 * Unsupported parts of VS Code that the extension uses: commands that aren't listed in
 * https://code.visualstudio.com/api/references/commands, and values that aren't in its types. Each
 * comment gives the source and the VS Code versions it was checked against. `test/host/privateApi.test.ts` names
 * the parts that are gone. Pure, so that every room can import it.
 */

export const privateCommands = {
  /**
   * Adds a group to the models of a provider: `{ name, vendor }`. Fails if the group exists.
   * Seen in 1.133.0 and 1.139.1:
   * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/chat/browser/actions/chatLanguageModelActions.ts
   */
  addModelGroup: 'lm.addLanguageModelsProviderGroup',
  /**
   * Opens the chat: `{ mode, modelSelector }`. Fails if no model matches the selector.
   * Seen in 1.133.0 and 1.139.1:
   * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/chat/browser/actions/chatActions.ts
   */
  openChat: 'workbench.action.chat.open',
  /**
   * Opens the settings editor with a query.
   * Seen in 1.133.0 and 1.139.1:
   * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/preferences/browser/preferences.contribution.ts
   */
  openSettings: 'workbench.action.openSettings',
  /**
   * Opens the Workspace Trust editor.
   * Seen in 1.133.0 and 1.139.1:
   * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/workspace/common/workspace.ts
   */
  manageTrust: 'workbench.trust.manage',
  /**
   * Moves the focus to the active editor.
   * Seen in 1.133.0 and 1.139.1:
   * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/browser/parts/editor/editorActions.ts
   */
  focusEditor: 'workbench.action.focusActiveEditorGroup',
} as const;

/**
 * The setting that turns off VS Code's chat and all models.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/chat/browser/chat.contribution.ts
 */
export const AI_SETTING = 'chat.disableAIFeatures';

/**
 * The setting that selects the model for small requests, such as for the title of a chat.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/chat/browser/chat.contribution.ts
 */
export const UTILITY_MODEL_SETTING = 'chat.byokUtilityModelDefault';

/**
 * The built-in extension that provides VS Code's chat. It's missing while the chat is off.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/extensions/copilot/package.json
 */
export const CHAT_EXTENSION = 'GitHub.copilot-chat';

/**
 * The caller of a request from VS Code itself, such as for the title of a chat.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/api/common/extHostLanguageModels.ts
 */
const VSCODE_ITSELF = 'core';

/**
 * The role of a system message. The types have only the roles of the user and the assistant.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vscode-dts/vscode.proposed.languageModelSystem.d.ts
 */
export const SYSTEM_ROLE = 3;

/**
 * The type of a data part with the token usage of a response. The chat counts it.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/extensions/copilot/src/platform/endpoint/common/endpointTypes.ts
 */
export const USAGE_TYPE = 'usage';

/**
 * The ID of the extension that sends a chat request, in lower case. Empty if VS Code doesn't
 * report it.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/api/common/extHostLanguageModels.ts
 * @param options options of the request
 */
export function callerOf(options: object): string {
  const caller: unknown = Reflect.get(options, 'requestInitiator');
  return typeof caller === 'string' ? caller.toLowerCase() : '';
}

/** True if the caller is VS Code itself or its chat. */
export function isVSCode(caller: string): boolean {
  return caller === VSCODE_ITSELF || caller === CHAT_EXTENSION.toLowerCase();
}

/**
 * True if VS Code requests the models of a group. It requests each group, and once without a group.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/api/common/extHostLanguageModels.ts
 * @param options options of the request for models
 */
export function isOfModelGroup(options: object): boolean {
  return Reflect.get(options, 'configuration') !== undefined;
}

/**
 * A response part that the chat shows as reasoning; undefined if VS Code has no such part.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vscode-dts/vscode.proposed.languageModelThinkingPart.d.ts
 * @param api the module `vscode`
 */
export function thinkingPart(api: object, text: string): LanguageModelResponsePart | undefined {
  const Part: unknown = Reflect.get(api, 'LanguageModelThinkingPart');
  return typeof Part === 'function' ? Reflect.construct(Part, [text]) : undefined;
}

/**
 * The values of a setting. In a remote window, `globalValue` is the value of the remote machine, or
 * else the local one. The types lack these two separate values.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/api/common/extHostConfiguration.ts
 */
export interface Inspected {
  readonly defaultValue?: unknown;
  readonly globalValue?: unknown;
  readonly globalLocalValue?: unknown;
  readonly globalRemoteValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/** The value in the user's own settings file. A dev container can't write that file. */
export function userValue(found: Inspected): unknown {
  return 'globalLocalValue' in found ? found.globalLocalValue : found.globalValue;
}

/** The value in the settings file of the remote machine. */
export function remoteValue(found: Inspected): unknown {
  return found.globalRemoteValue;
}
