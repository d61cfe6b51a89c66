import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { repositoryRoot, testDirectory } from '../vscode/install.ts';

/**
 * True if the tests take the screenshots for the README and the walkthrough, at twice the normal
 * resolution.
 */
export const takesPictures = process.env['HOSTED_MODEL_PICTURES'] === '1';

/**
 * Folder for the pictures. If `takesPictures` is false, it's a subfolder of the screenshots folder.
 */
const folder = takesPictures
  ? join(repositoryRoot, 'media')
  : join(testDirectory, 'screenshots', 'media');

/**
 * Settings that make comments easy to read, for pictures with a selected comment as the prompt.
 */
export const legibleComments = {
  'editor.tokenColorCustomizations': {
    '[Dark 2026]': { comments: '#b9c4d0' },
    '[Light 2026]': { comments: '#4b5563' },
  },
};

export type Clip = NonNullable<NonNullable<Parameters<Page['screenshot']>[0]>['clip']>;

/**
 * Replaces the emulator's address with the hosts that users of the default service see. Replaces
 * the paths to temporary folders with the path to a home directory. Hides anything that is specific
 * to VS Code in a browser or that distracts from the picture. Shows the same times in every
 * picture. Call this right before taking a picture, because VS Code restores the original text when
 * it renders a row again.
 */
export async function prepareForPicture(page: Page): Promise<void> {
  await page.evaluate(`{
    for (const item of document.querySelectorAll('.statusbar-item')) {
      const isOfBrowser = /^(Layout:|remote|No Ports)/.test(item.getAttribute('aria-label') ?? '');
      if (isOfBrowser) item.style.display = 'none';
    }
    // VS Code's tip, the list of changed files, and the scroll bar would distract from a picture of
    // the chat. A diff's ruler covers the text with a gray bar.
    const stray = '.chat-input-notification-widget, .chat-editing-session, .diffOverview, .interactive-session .scrollbar';
    // Otherwise, the corners of a dialog's picture would show the dimmed window behind the dialog.
    for (const part of document.querySelectorAll('.monaco-dialog-modal-block')) part.style.background = 'none';
    for (const part of document.querySelectorAll(stray)) part.style.display = 'none';
    // The caret blinks in the focused editor, so only some screenshots would show it.
    const style = document.createElement('style');
    style.textContent = '.monaco-editor.focused .cursors-layer > .cursor { visibility: inherit !important; }' +
      // A list row that previously showed a description keeps an empty one, which moves the row's
      // text down by a pixel.
      '.label-description:has(> .monaco-highlighted-label:empty) { display: none; }' +
      // In a browser, VS Code adds this tab some time after startup.
      '.action-item:has(> .action-label[aria-label^="Ports"]) { display: none !important; }';
    document.head.append(style);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const address = /(?:http:\\/\\/)?(?:127\\.0\\.0\\.1|localhost):\\d+/;
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const row = node.parentElement?.closest('.monaco-list-row')?.textContent ?? node.data;
      const ofIdentity = /[Kk]ey (?:and [a-z ]+ )?(?:goes? )?to|[Kk]ey: sent to|[Ii]dentity service/.test(row);
      let text = node.data;
      if (ofIdentity) text = text.replace(address, 'iam.cloud.ibm.com');
      text = text.replace(new RegExp(address.source, 'g'), 'eu-de.ml.cloud.ibm.com');
      text = text.replace(/\\/tmp\\/[\\w-]+/g, '/home/sam');
      // The number of minutes left depends on how busy the machine is, and the time until a refresh
      // is random.
      text = text.replace(/\\d+(?= minutes left)/, '59').replace(/(?<=refresh in )\\d+/, '47');
      if (node.parentElement?.closest('.statusbar-item')) text = text.replace(/\\d+(?=m$)/, '59');
      // In the narrow chat, the host would wrap at its hyphen.
      if (node.parentElement?.closest('.interactive-session')) text = text.replace('eu-de', 'eu\u2011de');
      if (text !== node.data) node.data = text;
    }
  }`);
}

/**
 * Saves an encoded picture, unless the file already contains a picture that looks the same. With a
 * different palette or Chromium release, some colors can differ slightly. Such invisible
 * differences don't belong in a commit.
 */
export async function savePicture(path: string, picture: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (!(await looksLike(path, picture))) await writeFile(path, picture);
}

/**
 * Encodes a screenshot for the README and the docs. A user interface has few colors, so a palette
 * is enough.
 */
export async function asPng(screenshot: Buffer): Promise<Buffer> {
  const sharp = await loadSharp();
  return sharp(screenshot).png({ palette: true }).toBuffer();
}

/**
 * Encodes a screenshot as a small WebP image without visible loss. Rounds each color value of at
 * most `NEARLY_WHITE` to a multiple of `STEP`.
 */
export async function asSmallWebp(screenshot: Buffer): Promise<Buffer> {
  const sharp = await loadSharp();
  const { data, info } = await sharp(screenshot)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  // Rounding nearly white values would tint the light theme, and rounding halves up would tint the
  // dark theme.
  const coarse = data.map((value) =>
    value > NEARLY_WHITE ? value : Math.ceil(value / STEP - 0.5) * STEP,
  );
  return sharp(coarse, { raw: info }).webp({ lossless: true, effort: 6 }).toBuffer();
}

/**
 * Rounding to multiples of this value makes the walkthrough's pictures smaller, and changes no
 * color value by more than 4.
 */
const STEP = 8;
const NEARLY_WHITE = 240;

/** Loads sharp only when a picture is saved, because every UI test loads this module. */
async function loadSharp() {
  return (await import('sharp')).default;
}

/**
 * Tolerances for treating two images as equal. In each tile of `tile` by `tile` pixels, at most
 * this `share` of the color values (0 to 255) may differ by more than `difference`. This share
 * amounts to five pixels per tile, which is less than the area of a period. Tiles are compared,
 * because a changed word is only a tiny part of a whole window.
 */
const TOLERANCE = { tile: 32, share: 0.005, difference: 48 };

async function looksLike(path: string, picture: Buffer): Promise<boolean> {
  if (!existsSync(path)) return false;
  const sharp = await loadSharp();
  const [one, other] = await Promise.all(
    [readFileSync(path), picture].map((image) =>
      // Reads all frames of an animation.
      sharp(image, { animated: true }).removeAlpha().raw().toBuffer({ resolveWithObject: true }),
    ),
  );
  if (!one || !other || one.info.width !== other.info.width) return false;
  if (one.info.height !== other.info.height) return false;
  const [delays, otherDelays] = await Promise.all(
    [readFileSync(path), picture].map(async (image) => (await sharp(image).metadata()).delay),
  );
  if (String(delays) !== String(otherDelays)) return false;
  const { tile, share, difference } = TOLERANCE;
  const { width, channels } = one.info;
  const different = new Map<string, number>();
  for (const [index, value] of one.data.entries()) {
    if (Math.abs(value - (other.data[index] ?? 0)) <= difference) continue;
    const pixel = Math.floor(index / channels);
    const place = `${Math.floor((pixel % width) / tile)} ${Math.floor(pixel / width / tile)}`;
    different.set(place, (different.get(place) ?? 0) + 1);
  }
  const most = tile * tile * channels * share;
  return [...different.values()].every((count) => count <= most);
}

/** @param clip the part of the window to capture. By default, the whole window is captured. */
export async function takePicture(page: Page, name: string, clip?: Clip): Promise<void> {
  await savePicture(join(folder, `${name}.png`), await asPng(await takeScreenshot(page, clip)));
}

/**
 * Prepares the page, and takes a screenshot with all animations stopped. Finite animations have
 * finished, and spinning icons are in their initial position.
 *
 * @param clip the part of the window to capture. By default, the whole window is captured.
 */
export async function takeScreenshot(page: Page, clip?: Clip): Promise<Buffer> {
  await prepareForPicture(page);
  return page.screenshot({ animations: 'disabled', ...(clip && { clip }) });
}

export interface PicturePart {
  /** An identifier. */
  readonly caption: string;
  /** Text after the caption; can be empty. */
  readonly note: string;
  readonly screenshot: Buffer;
}

/** Combines several screenshots with captions into one picture, two per row. */
export async function takeComposite(
  context: BrowserContext,
  name: string,
  parts: readonly PicturePart[],
): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1080, height: 600 });
  const figures = parts.map(({ caption, note, screenshot }) => {
    const address = `data:image/png;base64,${screenshot.toString('base64')}`;
    return `<figure><figcaption><code>${caption}</code> ${note}</figcaption><img src="${address}"></figure>`;
  });
  await page.setContent(`<style>
    body { margin: 0; padding: 8px; color-scheme: light dark; background: canvas;
      display: grid; grid-template-columns: 1fr 1fr; gap: 16px; }
    figure { margin: 0; }
    figcaption { color: canvastext; font: 16px sans-serif; margin-bottom: 4px; }
    img { display: block; width: 100%; }
    figure:last-child:nth-child(odd) { grid-column: 1 / -1; width: calc(50% - 8px); margin: auto; }
  </style>${figures.join('')}`);
  const screenshot = await page.screenshot({ fullPage: true });
  await page.close();
  await savePicture(join(folder, `${name}.png`), await asPng(screenshot));
}

/** Takes a screenshot for the walkthrough, which is part of the package. */
export async function takeSmallPicture(page: Page, name: string, clip: Clip): Promise<void> {
  const path = join(folder, `${name}.webp`);
  await savePicture(path, await asSmallWebp(await takeScreenshot(page, clip)));
}
