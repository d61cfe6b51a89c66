/**
 * Creates the icon, and takes most of the README's pictures, including the animation, in a real VS
 * Code with the emulated service. VS Code's screencast mode shows the pressed keys.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { recordedModels } from '../emulator/models.ts';
import {
  asPng,
  asSmallWebp,
  legibleComments,
  savePicture,
  takeScreenshot,
} from '../ui/pictures.ts';
import { statusId } from '../ui/service.ts';
import { startBrowser } from './browser.ts';
import { repositoryRoot } from './install.ts';
import { demoKey, demoProject, type Sample, startSample } from './sample.ts';
import type { Settings } from './server.ts';
import { enterKey } from './setUpWalk.ts';
import { themes, Workbench } from './workbench.ts';

const chatPath = '/ml/v1/text/chat_stream';
const media = join(repositoryRoot, 'media');
/** Settings that leave more room for the text and show pressed keys for five seconds. */
const bare = {
  ...legibleComments,
  'breadcrumbs.enabled': false,
  'editor.fontSize': 16,
  'editor.lightbulb.enabled': 'off',
  'editor.minimap.enabled': false,
  'editor.scrollbar.vertical': 'hidden',
  'editor.hideCursorInOverviewRuler': true,
  'screencastMode.fontSize': 28,
  'screencastMode.keyboardOverlayTimeout': 5000,
  'screencastMode.verticalOffset': 10,
  'workbench.activityBar.location': 'hidden',
};
const viewport = { width: 960, height: 420 };
const code = `def total_price(items: list[Item]) -> float:
    return sum(item.price * item.count for item in items)`;

// The Marketplace doesn't accept SVG icons.
await sharp(await readFile(join(media, 'icon.svg')))
  .png({ palette: true })
  .toFile(join(media, 'icon.png'));
for (const theme of ['dark', 'light'] as const) {
  const settings = { ...bare, 'workbench.colorTheme': themes[theme] };
  const sample = await startSample();
  // The model list in the picture has no room for withdrawal dates.
  sample.emulator.settings.models = recordedModels.map((model) => ({ ...model, lifecycle: [] }));
  const browser = await startBrowser();
  // Opens a new window each time, since `applyUserSettings` would change the title in the pictures.
  const openCode = async (userSettings: Settings): Promise<Workbench> => {
    await sample.server.writeUserSettings(userSettings);
    const page = await browser.newPage({ colorScheme: theme, pixelRatio: 2, viewport });
    const workbench = new Workbench(page, sample.server);
    await workbench.open();
    await workbench.openFile(join(sample.folder, 'prices.py'));
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
    return workbench;
  };
  try {
    // Without a configured address, setup shows the default hosts.
    const fresh = await openCode(settings);
    await takeHosts(fresh, theme);
    await fresh.page.context().close();
    const { url } = sample.emulator;
    // As with the default service, the identity service has its own host.
    const authUrl = url.replace('127.0.0.1', 'localhost');
    const addresses = { 'hostedModel.authUrl': authUrl, 'hostedModel.url': url };
    const project = { 'hostedModel.projectId': demoProject };
    const workbench = await openCode({ ...settings, ...addresses, ...project });
    await storeKey(workbench);
    await film(workbench, sample, theme);
    await takeModels(workbench, theme);
    await takeStatus(workbench, theme);
    await takeDiagnosis(workbench, sample, theme);
  } finally {
    await browser.close();
    await sample.stop();
  }
}

/** Takes a screenshot of the last step of setup, before anything is sent. */
async function takeHosts(workbench: Workbench, theme: string): Promise<void> {
  const { quickInput } = workbench;
  await workbench.runCommand('Hosted Model: Set Up...');
  await quickInput.waitFor({ step: '1/5' });
  await quickInput.accept();
  for (const [index, answer] of [demoKey, demoProject].entries()) {
    await quickInput.waitFor({ step: `${index + 2}/5` });
    await quickInput.type(answer);
    await quickInput.accept();
  }
  await quickInput.waitFor({ step: '4/5' });
  await quickInput.pick('Frankfurt');
  await quickInput.waitFor({ step: '5/5' });
  const picture = await takeQuickInput(workbench, `hosts-${theme}`);
  // Also saves the picture for the walkthrough, because the emulated service in the walkthrough's
  // test has only one host.
  await savePicture(join(media, 'walkthrough', `hosts-${theme}.webp`), await asSmallWebp(picture));
  await quickInput.dismiss();
}

async function storeKey(workbench: Workbench): Promise<void> {
  const { quickInput, notifications } = workbench;
  await workbench.runCommand('Hosted Model: Set Up...');
  await enterKey(workbench, demoKey);
  await quickInput.pick('$(beaker) Test and Save');
  await notifications.close(/is set up/);
}

/**
 * Records the main workflow: a comment is selected, the keyboard shortcut is pressed, and the code
 * streams in. Also saves the last frame, for readers who prefer reduced motion.
 */
async function film(workbench: Workbench, { emulator }: Sample, theme: string): Promise<void> {
  const { editor, notifications, page, screen } = workbench;
  const frames: { readonly picture: Buffer; readonly ms: number }[] = [];
  const take = async (ms: number) => frames.push({ picture: await takeScreenshot(page), ms });
  let [before, selected] = ['', ''];
  const takeUpTo = async (response: string) => {
    await screen.until(`the document to end with ${response}`, async () =>
      (await editor.visibleText()).trimEnd() === before + response ? true : undefined,
    );
    // VS Code briefly extends a selection to include text that is inserted after it.
    await editor.waitForPosition(selected);
    await take(180);
  };
  // Each chunk ends with visible text. The first event of the stream has no text, so event `index`
  // is preceded by `index - 1` chunks.
  const words = code.split(/(?<=\S)(?=\s)/);
  emulator.settings.answer = () => words;
  emulator.faults.next(chatPath, {
    beforePart: (index) =>
      index > 0 && index % 2 === 0 && index < words.length
        ? takeUpTo(words.slice(0, index - 1).join(''))
        : undefined,
  });

  await editor.placeCursor(6, 1);
  // VS Code enables the Go Back button a moment after the cursor has moved.
  await page.waitForSelector('.action-label[aria-label^="Go Back"]:not(.disabled)');
  await take(900);
  // Selects the text before screencast mode starts. Otherwise, the picture would also show the keys
  // that select it.
  await page.keyboard.press('Shift+End');
  selected = await editor.waitForPosition(/selected/);
  await workbench.runCommand('Developer: Toggle Screencast Mode');
  await editor.focus();
  await page.waitForSelector('.screencast-keyboard:empty', { state: 'attached' });
  // Hides what can appear or disappear on a busy machine: the progress notification, the
  // announcements in the status bar, which last five seconds, and the dot on the bell.
  await page.addStyleTag({
    content: `.statusbar-item:is([id$=".hostedModel.announcement"], [id$=".hostedModel.start"]),
      .notifications-toasts { display: none !important }
      .codicon-bell-dot::before { content: '\\eaa2' !important }
      .screencast-keyboard { background: #1f2328 !important }`,
  });
  await take(1_200);
  before = await editor.visibleText();
  await page.keyboard.press('Control+K');
  const waiting = page.getByText('Waiting for second key');
  await waiting.first().waitFor();
  await keepKeys(page, 'Ctrl+K');
  await take(400);
  await releaseKeys(page);
  // VS Code waits only five seconds for the second key of a shortcut. If the screenshots took
  // longer than that, presses the first key again.
  const waits = (await waiting.count()) > 0;
  if (!waits) await page.keyboard.press('Control+K');
  await page.keyboard.press('Control+G');
  await keepKeys(page, 'Ctrl+G');
  await editor.waitForText(`${before}${code}\n`);
  await editor.waitForSameColor('float');
  await notifications.waitUntilGone(/Generating/);
  await workbench.statusItem(statusId).waitFor({ text: /\d+m/ });
  await take(3_000);
  const last = frames.at(-1)?.picture ?? screen.fail('Nothing was filmed.');
  await savePicture(join(media, `generated-${theme}.png`), await asPng(await last));
  await releaseKeys(page);
  await workbench.runCommand('Developer: Toggle Screencast Mode');

  const pictures = frames.map(({ picture }) => picture);
  const delay = frames.map(({ ms }) => ms);
  const moving = await sharp(pictures, { join: { animated: true } })
    .webp({ delay, effort: 6, minSize: true, quality: 80 })
    .toBuffer();
  await savePicture(join(media, `generate-${theme}.webp`), moving);
}

/**
 * Waits until screencast mode shows these keys, and then replaces their element with a copy. VS
 * Code clears its own element after five seconds, but the screenshots can take longer on a busy
 * machine.
 */
async function keepKeys(page: Page, keys: string): Promise<void> {
  await page.locator('.screencast-keyboard', { hasText: keys }).waitFor();
  await page.evaluate(`{
    globalThis.ownKeys = document.querySelector('.screencast-keyboard');
    globalThis.ownKeys.replaceWith(globalThis.ownKeys.cloneNode(true));
  }`);
}

/** Replaces the copy with VS Code's own element. */
async function releaseKeys(page: Page): Promise<void> {
  await page.evaluate(
    `document.querySelector('.screencast-keyboard').replaceWith(globalThis.ownKeys)`,
  );
}

async function takeModels(workbench: Workbench, theme: string): Promise<void> {
  const { page, quickInput } = workbench;
  await page.setViewportSize({ ...viewport, height: 600 });
  await workbench.runCommand('Hosted Model: Select Model...');
  await quickInput.waitFor({ item: 'granite-4-h-small' });
  await takeQuickInput(workbench, `models-${theme}`);
  await quickInput.dismiss();
}

/** Takes a screenshot of the status item with its tooltip. */
async function takeStatus(workbench: Workbench, theme: string): Promise<void> {
  const { page, screen } = workbench;
  const item = workbench.statusItem(statusId);
  await item.waitFor({ text: /\d+m/ });
  await item.tooltip();
  const hover = await page.locator('.workbench-hover-container .monaco-hover').boundingBox();
  const size = page.viewportSize();
  if (!hover || !size) return screen.fail('The status item has no tooltip.');
  // Hides the other status items, which would be cut off at the edges.
  await page.addStyleTag({
    content: `.statusbar-item:not([id$=".${statusId}"]) { visibility: hidden; }`,
  });
  const [x, y] = [Math.floor(hover.x), Math.floor(hover.y)];
  const clip = { x, y, width: Math.ceil(hover.width) + 2, height: size.height - y };
  const picture = await takeScreenshot(page, clip);
  await savePicture(join(media, `status-${theme}.png`), await asPng(picture));
  await page.mouse.move(0, 0);
}

async function takeDiagnosis(workbench: Workbench, { emulator }: Sample, theme: string) {
  emulator.settings.apiKeys = [];
  // The quick input shows only as many rows as fit in the window.
  await workbench.page.setViewportSize({ ...viewport, height: 800 });
  await workbench.runCommand('Hosted Model: Diagnose Connection');
  await workbench.quickInput.waitFor({ item: '$(copy) Copy Report' });
  await takeQuickInput(workbench, `diagnose-${theme}`);
}

/**
 * Takes a screenshot of the quick input without a margin, because a margin would show parts of the
 * editor.
 */
async function takeQuickInput({ page, screen }: Workbench, name: string): Promise<Buffer> {
  const box = await page.locator('.quick-input-widget').boundingBox();
  if (box === null) return screen.fail(`No quick input for ${name}.`);
  // Playwright rounds a fractional height down, which can cut off the lower border.
  const picture = await takeScreenshot(page, { ...box, height: Math.round(box.height) });
  await savePicture(join(media, `${name}.png`), await asPng(picture));
  return picture;
}
