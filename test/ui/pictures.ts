import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { repositoryRoot, testDirectory } from '../vscode/install.ts';

/** True if the tests take the pictures of the README and the walkthrough, at twice the size. */
export const takesPictures = process.env['HOSTED_MODEL_PICTURES'] === '1';

/** The pictures of other runs are kept beside the screenshots. */
const folder = takesPictures
  ? join(repositoryRoot, 'media')
  : join(testDirectory, 'screenshots', 'media');

export type Clip = NonNullable<NonNullable<Parameters<Page['screenshot']>[0]>['clip']>;

/**
 * Replaces the address of the emulator with the hosts that users of the default service see, and a
 * temporary folder with a home directory. Call this right before the picture, because VS Code
 * restores the text when it renders a row again.
 */
export async function showPublicHosts(page: Page): Promise<void> {
  await page.evaluate(`{
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const address = /(?:http:\\/\\/)?(?:127\\.0\\.0\\.1|localhost):\\d+/;
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const row = node.parentElement?.closest('.monaco-list-row')?.textContent ?? node.data;
      const ofIdentity = /[Kk]ey (?:and [a-z ]+ )?goes? to|[Ii]dentity service/.test(row);
      let text = node.data;
      if (ofIdentity) text = text.replace(address, 'iam.cloud.ibm.com');
      text = text.replace(new RegExp(address.source, 'g'), 'eu-de.ml.cloud.ibm.com');
      text = text.replace(/\\/tmp\\/[\\w-]+/g, '/home/sam');
      if (text !== node.data) node.data = text;
    }
  }`);
}

/**
 * Saves a picture, unless the saved one looks the same. VS Code renders a few pixels differently
 * each time, and invisible differences don't belong in a commit.
 * @param picture PNG or WebP
 */
export async function savePicture(path: string, picture: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const isPng = path.endsWith('.png');
  const sharp = await loadSharp();
  // A palette takes a third of the space, and an interface has few colors.
  const saved = isPng ? await sharp(picture).png({ palette: true }).toBuffer() : picture;
  if (!(await looksLike(path, saved))) await writeFile(path, saved);
}

/** Loaded when a picture is saved, because every UI test loads this module. */
async function loadSharp() {
  return (await import('sharp')).default;
}

/** Share of pixels that may differ, and by how much of 255. */
const TOLERANCE = { share: 0.002, difference: 48 };

async function looksLike(path: string, picture: Buffer): Promise<boolean> {
  if (!existsSync(path)) return false;
  const sharp = await loadSharp();
  const [one, other] = await Promise.all(
    [readFileSync(path), picture].map((image) =>
      sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true }),
    ),
  );
  if (!one || !other || one.info.width !== other.info.width) return false;
  if (one.info.height !== other.info.height) return false;
  let different = 0;
  for (const [index, value] of one.data.entries()) {
    if (Math.abs(value - (other.data[index] ?? 0)) > TOLERANCE.difference) different += 1;
  }
  return different / one.data.length < TOLERANCE.share;
}

/** @param clip part of the window, by default all of it */
export async function takePicture(page: Page, name: string, clip?: Clip): Promise<void> {
  const path = join(folder, `${name}.png`);
  await showPublicHosts(page);
  await savePicture(path, await page.screenshot({ ...(clip && { clip }) }));
}

/** Takes a picture that is shipped, as WebP, which takes half the space (measured). */
export async function takeSmallPicture(page: Page, name: string, clip: Clip): Promise<void> {
  const path = join(folder, `${name}.webp`);
  await showPublicHosts(page);
  const browser = await page.context().newCDPSession(page);
  const options = {
    format: 'webp',
    quality: 80,
    clip: { ...clip, scale: takesPictures ? 2 : 1 },
  } as const;
  const { data } = await browser.send('Page.captureScreenshot', options);
  await savePicture(path, Buffer.from(data, 'base64'));
}
