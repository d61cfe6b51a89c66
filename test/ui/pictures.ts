import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { repositoryRoot, testDirectory } from '../vscode/install.ts';

/**
 * Pictures of README and walkthrough, taken by the tests that show the same thing. With
 * HOSTED_MODEL_PICTURES=1 they become those in media/; else they only lie among the screenshots.
 */
const folder =
  process.env['HOSTED_MODEL_PICTURES'] === '1'
    ? join(repositoryRoot, 'media')
    : join(testDirectory, 'screenshots', 'media');

export type Clip = NonNullable<NonNullable<Parameters<Page['screenshot']>[0]>['clip']>;

/** @param clip the part of the window; all of it without one */
export async function takePicture(page: Page, name: string, clip?: Clip): Promise<void> {
  const path = join(folder, `${name}.png`);
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path, ...(clip && { clip }) });
}

/** Of those that are shipped: WebP, which takes half the room (measured). */
export async function takeSmallPicture(page: Page, name: string, clip: Clip): Promise<void> {
  const path = join(folder, `${name}.webp`);
  await mkdir(dirname(path), { recursive: true });
  const browser = await page.context().newCDPSession(page);
  const options = { format: 'webp', quality: 80, clip: { ...clip, scale: 1 } } as const;
  const { data } = await browser.send('Page.captureScreenshot', options);
  await writeFile(path, Buffer.from(data, 'base64'));
}
