import { commands, env, extensions, lm, Uri, window, workspace } from 'vscode';
import { enableAi, isAiDisabled } from '../config/configuration.ts';
import { ACTION_LABELS } from '../messages/actions.ts';
import type { Connection } from '../service/connection.ts';
import { offer } from '../ui/notify.ts';
import { openSettings } from '../ui/openSettings.ts';
import { cancellable } from '../ui/progress.ts';
import { AI_SETTING, CHAT_EXTENSION, undocumentedCommands } from '../undocumentedApi.ts';
import * as texts from './chatMessages.ts';
import { chatModelId, ownModelId } from './chatModels.ts';
import type { ChatProvider } from './chatProvider.ts';

/** The command *Use in Chat*, which sets up VS Code's chat without a GitHub sign-in. */

const PROVIDER_ID = 'hosted-model';
const GROUP_NAME = 'Hosted Model';
/** Milliseconds to wait for the built-in chat, which can be slow to start on a busy machine. */
const CHAT_START_MS = 30_000;
const HELP_PAGE = 'https://code.visualstudio.com/docs/copilot/customization/language-models';

/**
 * Runs *Use in Chat*. Asks the user before adding a provider group or turning on VS Code's chat. If
 * neither is needed, opens the chat without asking.
 * @param requireConnection prompts for missing credentials; returns undefined if no connection is
 * ready afterward
 * @throws {ServiceError} if the request for the service's model list fails for any reason other
 * than `no-model-list`
 */
export async function startChat(
  provider: ChatProvider,
  requireConnection: () => Promise<Connection | undefined>,
  signOutSignal: AbortSignal,
): Promise<void> {
  if (isAiDisabled()) {
    const { openSettings: button } = ACTION_LABELS;
    return offer('warning', texts.AI_IS_OFF, button, () => openSettings(AI_SETTING));
  }
  if (!workspace.isTrusted) {
    const { manageTrust } = undocumentedCommands;
    return offer('warning', texts.NOT_TRUSTED, texts.MANAGE_TRUST, manageTrust);
  }
  if (!(await requireConnection())) return;
  const needsGroup = !(await isGrouped(provider));
  const isChatOff = !isChatOn();
  if ((needsGroup || isChatOff) && !(await confirmUse())) return;
  const connection = await provider.connection();
  if (!connection) {
    return offer('warning', texts.NOT_SET_UP, ACTION_LABELS.diagnose, 'hostedModel.diagnose');
  }
  await cancellable(texts.LISTING, async (cancel) => {
    const signal = AbortSignal.any([cancel, signOutSignal]);
    const others = provider.refreshOthers(connection, signal);
    await provider.refresh(connection, signal).finally(() => others);
  });
  if (needsGroup && !(await addGroup(provider))) return offerHelp(texts.FAILED_STEPS.group);
  if (isChatOff && !(await cancellable(texts.STARTING, turnOnChat))) {
    return offerHelp(texts.FAILED_STEPS.chat);
  }
  // Opening the chat fails if VS Code can't select the model. No API returns the selected model, so
  // there's no other way to check the selection.
  const modelSelector = {
    vendor: PROVIDER_ID,
    id: chatModelId(connection.service, ownModelId(connection)),
  };
  await commands
    .executeCommand(undocumentedCommands.openChat, { mode: 'ask', modelSelector })
    .then(undefined, () => offerHelp(texts.FAILED_STEPS.open));
}

async function confirmUse(): Promise<boolean> {
  const { question, detail } = texts.USE_QUESTION;
  const answer = await window.showInformationMessage(question, { modal: true, detail }, texts.USE);
  return answer === texts.USE;
}

/**
 * Adds a provider group. Without a group, VS Code offers models only after a GitHub sign-in.
 * @returns true if there is a group afterward
 */
async function addGroup(provider: ChatProvider): Promise<boolean> {
  const group = { name: GROUP_NAME, vendor: PROVIDER_ID };
  // Ignore failures, because `isGrouped` checks the result.
  await commands
    .executeCommand(undocumentedCommands.addModelGroup, group)
    .then(undefined, () => {});
  return isGrouped(provider);
}

/**
 * True if a group exists. No API lists groups, but selecting models makes VS Code request the
 * models of each group.
 */
async function isGrouped(provider: ChatProvider): Promise<boolean> {
  const before = provider.groupRequestCount;
  await lm.selectChatModels({ vendor: PROVIDER_ID });
  return provider.groupRequestCount > before;
}

function isChatOn(): boolean {
  return extensions.getExtension(CHAT_EXTENSION) !== undefined;
}

/**
 * Turns on the built-in chat, which is off in a new profile. VS Code starts the chat when
 * `enableAi` writes the setting for AI features.
 * @returns true if chat is on afterward
 */
async function turnOnChat(cancel: AbortSignal): Promise<boolean> {
  if (isChatOn()) return true;
  // The user may have turned off AI features while the models were being listed.
  if (isAiDisabled() || !(await enableAi().then(isTrue, isFalse))) return false;
  const late = AbortSignal.any([cancel, AbortSignal.timeout(CHAT_START_MS)]);
  return new Promise((resolve) => {
    const check = () => {
      if (!late.aborted && !isChatOn()) return;
      listening.dispose();
      resolve(!late.aborted);
    };
    const listening = extensions.onDidChange(check);
    late.addEventListener('abort', check);
    check();
  });
}

const isTrue = () => true;
const isFalse = () => false;

async function offerHelp(text: string): Promise<void> {
  const picked = await window.showWarningMessage(text, texts.HELP);
  if (picked === texts.HELP) await env.openExternal(Uri.parse(HELP_PAGE));
}
