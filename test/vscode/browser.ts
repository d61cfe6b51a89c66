/** Starts Chromium and opens pages in it, each in a context and so with a keyring of its own. */
import { randomBytes } from 'node:crypto';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { ensureChromium } from './install.ts';
import { usualWait } from './screen.ts';

export interface PageOptions {
  /** What the operating system would report; a theme set in the User settings wins over it. */
  colorScheme?: 'dark' | 'light';
  /** Pixels of a picture per CSS pixel. */
  pixelRatio?: number;
  /** Pixels. */
  viewport?: { width: number; height: number };
  /** As a browser zooms: 2 shows everything twice as large, and half as much of it. */
  zoom?: number;
}

export interface Browser {
  /** A page with a keyring of its own, which later pages of the same context share. */
  newPage(options?: PageOptions): Promise<Page>;
  close(): Promise<void>;
}

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Pixels; large enough that the status bar and a notification do not cover each other. */
export const usualViewport = { width: 1280, height: 800 };

/** @throws Error that says what to install when there is no Chromium. */
export async function startBrowser(options = { headless: true }): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: await ensureChromium(options.headless),
    headless: options.headless,
    args: flags,
  });
  return {
    async newPage({
      colorScheme = 'dark',
      pixelRatio = 1,
      viewport = usualViewport,
      zoom = 1,
    } = {}) {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width: viewport.width / zoom, height: viewport.height / zoom },
        deviceScaleFactor: zoom * pixelRatio,
        // Nothing slides or fades, so that a picture shows what a test has just waited for.
        reducedMotion: 'reduce',
      });
      context.setDefaultTimeout(usualWait);
      await addKeyring(context);
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      return context.newPage();
    },
    close: () => browser.close(),
  };
}

/**
 * A VS Code in a browser keeps secrets in the page's storage, encrypted with a key of which its host
 * gives one half. The bare server gives none, and without it secrets would not survive a reload.
 */
async function addKeyring(context: BrowserContext): Promise<void> {
  const half = randomBytes(32);
  await context.route('**/mint-key', (route) => route.fulfill({ body: half }));
}
