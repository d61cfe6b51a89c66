import type { LanguageModelResponsePart } from 'vscode';

/**
 * Undocumented parts of VS Code that the extension uses: commands that aren't listed in
 * https://code.visualstudio.com/api/references/commands, and values that aren't in VS Code's types.
 * The comment on each part lists the VS Code versions known to include it, and links to the source
 * code. `test/host/undocumentedApi.test.ts` fails if one of these parts is gone. It doesn't check
 * the caller ID `core` or the internal data types. This module is pure, so any other module can
 * import it.
 */

export const undocumentedCommands = {
  /**
   * Adds a group of models for a provider. Takes `{ name, vendor }`. Fails if the group already
   * exists.
   * Seen in 1.133.0 and 1.139.1:
   * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/chat/browser/actions/chatLanguageModelActions.ts
   */
  addModelGroup: 'lm.addLanguageModelsProviderGroup',
  /**
   * Opens the chat. Takes `{ mode, modelSelector }`. Fails if no model matches the selector.
   * Seen in 1.133.0 and 1.139.1:
   * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/chat/browser/actions/chatActions.ts
   */
  openChat: 'workbench.action.chat.open',
  /**
   * Opens the settings editor with a search query.
   * Seen in 1.133.0 and 1.139.1:
   * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/preferences/browser/preferences.contribution.ts
   */
  openSettings: 'workbench.action.openSettings',
  /**
   * Opens the workspace settings in the settings editor, with a search query. If the window has a
   * single folder, these are the folder's settings.
   * Seen in 1.133.0 and 1.139.1:
   * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/preferences/browser/preferences.contribution.ts
   */
  openWorkspaceSettings: 'workbench.action.openWorkspaceSettings',
  /**
   * Opens the keyboard shortcuts editor.
   * Seen in 1.133.0 and 1.139.1:
   * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/preferences/browser/preferences.contribution.ts
   */
  openKeybindings: 'workbench.action.openGlobalKeybindings',
  /**
   * Reloads the window.
   * Seen in 1.133.0 and 1.139.1:
   * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/browser/actions/windowActions.ts
   */
  reloadWindow: 'workbench.action.reloadWindow',
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
 * The setting that turns off VS Code's chat and all language models.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/chat/browser/chat.contribution.ts
 */
export const AI_SETTING = 'chat.disableAIFeatures';

/**
 * The setting that selects the model for small tasks, such as creating chat titles.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/contrib/chat/browser/chat.contribution.ts
 */
export const UTILITY_MODEL_SETTING = 'chat.byokUtilityModelDefault';

/**
 * The ID of the built-in extension that provides VS Code's chat. VS Code doesn't load it while AI
 * features are disabled.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/extensions/copilot/package.json
 */
export const CHAT_EXTENSION = 'GitHub.copilot-chat';

/**
 * The caller ID of requests that VS Code itself sends, such as a request for a chat title.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/api/common/extHostLanguageModels.ts
 */
const VSCODE_ITSELF = 'core';

/**
 * The role of a system message. VS Code's types define only the user and assistant roles.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vscode-dts/vscode.proposed.languageModelSystem.d.ts
 */
export const SYSTEM_ROLE = 3;

/**
 * The `mimeType` of a data part that reports a response's token usage to VS Code's chat.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/extensions/copilot/src/platform/endpoint/common/endpointTypes.ts
 */
export const USAGE_TYPE = 'usage';

/**
 * True if the `mimeType` of a data part isn't a media type. Such parts contain VS Code's internal
 * data, which shouldn't be sent to a model. For example, VS Code versions before July 2026 add a
 * `cache_control` part to tool results: https://github.com/microsoft/vscode/issues/313920
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/extensions/copilot/src/platform/endpoint/common/endpointTypes.ts
 */
export function isInternalType(mimeType: string): boolean {
  return !mimeType.includes('/');
}

/**
 * Returns a link that executes a command. The link can be used in the message or progress text of a
 * notification, and can be reached with Tab. Screen readers read only the label. If the user hides
 * a progress notification, the status bar shows the notification's text, with the label in place of
 * the link. Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/base/common/linkedText.ts
 * @param tooltip shown instead of the command ID
 */
export function commandLink(label: string, command: string, tooltip: string): string {
  return `[${label}](command:${command} "${tooltip}")`;
}

/**
 * Returns the caller of a chat request, in lowercase: the ID of an extension, or `core` for VS Code
 * itself. Empty if VS Code doesn't report the caller.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/api/common/extHostLanguageModels.ts
 * @param options the options of the request
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
 * True if VS Code is requesting the models of a group. VS Code makes one request for each group,
 * and one request without a group.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/workbench/api/common/extHostLanguageModels.ts
 * @param options the options of the request for models
 */
export function isOfModelGroup(options: object): boolean {
  return Reflect.get(options, 'configuration') !== undefined;
}

/**
 * Creates a response part that the chat shows as reasoning. Returns undefined if this version of VS
 * Code doesn't support reasoning parts.
 * Seen in 1.133.0 and 1.139.1:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vscode-dts/vscode.proposed.languageModelThinkingPart.d.ts
 * @param api the `vscode` module
 */
export function thinkingPart(api: object, text: string): LanguageModelResponsePart | undefined {
  const Part: unknown = Reflect.get(api, 'LanguageModelThinkingPart');
  return typeof Part === 'function' ? Reflect.construct(Part, [text]) : undefined;
}

/**
 * The values of a setting at all levels. In a remote window, `globalValue` is the value on the
 * remote machine if there is one, and the local value otherwise. VS Code's types lack
 * `globalLocalValue` and `globalRemoteValue`.
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

/** Returns the value in the local user settings, which a dev container can't change. */
export function userValue(found: Inspected): unknown {
  return 'globalLocalValue' in found ? found.globalLocalValue : found.globalValue;
}

/** Returns the value in the remote machine's settings. */
export function remoteValue(found: Inspected): unknown {
  return found.globalRemoteValue;
}
