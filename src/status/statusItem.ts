import {
  type Disposable,
  MarkdownString,
  StatusBarAlignment,
  type StatusBarItem,
  ThemeColor,
  window,
} from 'vscode';
import type { Settings } from '../config/settings.ts';
import { ACTION_LABELS, type Message } from '../messages/actions.ts';
import { capitalized, needsSetting, settingLabel } from '../messages/settingLabels.ts';
import { hasOwnModel } from '../service/service.ts';
import { SETTINGS_LINK } from '../ui/openSettings.ts';
import { requestsLine } from './requestsText.ts';
import { amount, initialFacts, modelText, renderStatus, type StatusFacts } from './statusView.ts';

const TICK_MS = 60_000;
/**
 * Milliseconds between updating the facts and repainting the item. The delay is too short to
 * notice.
 */
const PAINT_AFTER_MS = 16;

/** The settings that the tooltip shows. `url` and `projectId` are empty if they aren't set. */
export type StatusSettings = Pick<
  Settings,
  | 'service'
  | 'serviceProblem'
  | 'authUrl'
  | 'url'
  | 'projectId'
  | 'resource'
  | 'modelId'
  | 'invalidModelId'
>;

/**
 * The only class that changes the status item. Stores the facts to show, and repaints the item only
 * if its content has changed. While the text or tooltip contains a time, also checks periodically
 * whether the content has changed.
 */
export class StatusItem implements Disposable {
  readonly #item: StatusBarItem;
  readonly #settings: () => StatusSettings;
  readonly #onTick: () => void;
  #facts: StatusFacts = initialFacts;
  #painted = '';
  #paintingSoon: NodeJS.Timeout | undefined;
  #repainting: NodeJS.Timeout | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #isDisposed = false;

  /**
   * @param settings returns the settings to show; called each time the tooltip is built
   * @param onTick called once per minute while the text or tooltip contains a time
   */
  constructor(settings: () => StatusSettings, onTick: () => void) {
    this.#settings = settings;
    this.#onTick = onTick;
    this.#item = window.createStatusBarItem('hostedModel.token', StatusBarAlignment.Right, 100);
    this.#item.name = 'Hosted Model';
    this.#item.command = 'hostedModel.showMenu';
    // Shown until it's known whether the extension is set up, which can take a while if the keyring
    // prompts the user.
    this.#item.text = '$(key) Hosted Model';
    this.#item.show();
  }

  get facts(): StatusFacts {
    return this.#facts;
  }

  update(facts: Partial<StatusFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
    // Generations that were active when the window closed still report that they've ended, but the
    // item no longer exists.
    if (this.#isDisposed) return;
    // Repaint later, because repainting reads all settings, which would delay the request or edit
    // that caused this update.
    this.#paintingSoon ??= setTimeout(() => {
      this.#paintingSoon = undefined;
      this.#paint();
    }, PAINT_AFTER_MS).unref();
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#paintingSoon);
    clearTimeout(this.#repainting);
    clearTimeout(this.#ticking);
    this.#item.dispose();
  }

  #paint(): void {
    if (this.#facts.isSetUp === undefined) return;
    const now = Date.now();
    const view = renderStatus(this.#facts, now);
    this.#paintAgainIn(view.changesInMs);
    const lines = tooltipLines(this.#facts, view.words, this.#settings(), now);
    const { lastFailure } = this.#facts;
    const painting = JSON.stringify([view.text, view.background, lines, lastFailure]);
    if (painting === this.#painted) return;
    this.#painted = painting;
    this.#item.text = view.text;
    this.#item.backgroundColor =
      view.background && new ThemeColor(`statusBarItem.${view.background}Background`);
    this.#item.accessibilityInformation = { label: `Hosted Model: ${view.words}`, role: 'button' };
    this.#item.tooltip = tooltipOf(lines, lastFailure);
  }

  #paintAgainIn(ms: number | undefined): void {
    clearTimeout(this.#repainting);
    if (ms === undefined) {
      clearTimeout(this.#ticking);
      this.#ticking = undefined;
      return;
    }
    this.#repainting = setTimeout(() => this.#paint(), ms).unref();
    this.#ticking ??= setTimeout(() => this.#tick(), TICK_MS).unref();
  }

  #tick(): void {
    this.#ticking = undefined;
    this.#onTick();
    this.#paint();
  }
}

function tooltipLines(
  facts: StatusFacts,
  words: string,
  settings: StatusSettings,
  now: number,
): string[] {
  const { token, requests } = facts;
  const refreshesInMs = token.kind === 'valid' ? token.refreshesAt - now : 0;
  const refresh = Number.isFinite(refreshesInMs) ? Math.ceil(refreshesInMs / 60_000) : 0;
  const lines = [
    `Hosted Model: ${words}`,
    facts.connection?.reason,
    requests && requestsLine(requests.state),
    refresh > 0 && `Next token refresh in ${amount(refresh, 'minute')}`,
    ...(facts.provenance ?? expectedLines(facts, settings)),
    modelLine(facts, settings),
    facts.usageToday?.(),
  ];
  return lines.filter((line) => typeof line === 'string');
}

function modelLine(facts: StatusFacts, settings: StatusSettings): string | undefined {
  const { connection } = facts;
  const { invalidModelId, serviceProblem } = settings;
  // If the service isn't known, neither is its default model.
  if (!connection && (serviceProblem || areUnread(facts, settings))) return undefined;
  const used = connection ?? settings;
  const isIgnored = invalidModelId && !hasOwnModel(used);
  return isIgnored
    ? `Model: ${invalidModelId} (not a valid model ID, so the default is used)`
    : `Model: ${modelText(used)}`;
}

/**
 * Returns the tooltip lines for the editor's settings. They're shown while `facts.provenance` is
 * undefined.
 */
function expectedLines(facts: StatusFacts, settings: StatusSettings): (string | false)[] {
  const { service, serviceProblem, authUrl, url, projectId, resource = 'project' } = settings;
  // If `serviceProblem` is set, the address and project in the settings are for a service that
  // can't be used. In that case, `service` is the default service.
  if (serviceProblem) return [];
  if (areUnread(facts, settings)) return ['Credentials: not read yet'];
  return [
    !facts.isSetUp &&
      !facts.hasKey &&
      needsSetting('apiKey', { service }) &&
      `${capitalized(settingLabel('apiKey', { service }))}: not set`,
    facts.obstacle === 'approval'
      ? 'Credentials: not sent, waiting for your approval'
      : authUrl !== '' && `Identity service: ${hostOf(authUrl)}`,
    `Service: ${url ? hostOf(url) : 'not set'}`,
    needsSetting('projectId', { service }) && `${capitalized(resource)}: ${projectId || 'not set'}`,
  ];
}

/** True if a source outside the editor is in use, but hasn't been read since the window opened. */
function areUnread(
  { isSetUp, obstacle, provenance }: StatusFacts,
  { url }: Pick<StatusSettings, 'url'>,
): boolean {
  return !provenance && isSetUp === true && !url && obstacle !== 'approval';
}

/**
 * Returns the host to display, or `invalid address` if the address can't be parsed. Full validation
 * would load code that isn't needed until an address is first used.
 */
function hostOf(url: string): string {
  return URL.parse(url)?.host || 'invalid address';
}

function tooltipOf(lines: readonly string[], lastFailure: Message | undefined): MarkdownString {
  const tooltip = new MarkdownString();
  for (const line of lines) appendPlain(tooltip, line);
  if (!lastFailure) return tooltip;
  tooltip.appendMarkdown('\n---\n');
  appendPlain(tooltip, `Last failure: ${lastFailure.text}`);
  const fix = lastFailure.actions.find(
    (one) => !['retry', 'openEnvFile', 'changeProject'].includes(one),
  );
  if (fix) {
    const own = `hostedModel.${fix === 'changeKey' ? 'setUp' : fix}`;
    const { command, target } =
      fix === 'openSettings' ? SETTINGS_LINK : { command: own, target: own };
    tooltip.isTrusted = { enabledCommands: [command] };
    tooltip.appendMarkdown(`[${ACTION_LABELS[fix]}](command:${target})`);
  }
  return tooltip;
}

/**
 * Appends a line of plain text, word by word, because `appendText` turns spaces into non-breaking
 * spaces.
 */
function appendPlain(tooltip: MarkdownString, line: string): void {
  for (const word of line.split(' ')) tooltip.appendText(word).appendMarkdown(' ');
  tooltip.appendMarkdown('  \n');
}
