/** Starts Chromium, and opens each page in its own context with its own keyring. */
import { randomBytes } from 'node:crypto';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { ensureChromium } from './install.ts';
import { usualWait } from './screen.ts';

export interface PageOptions {
  /**
   * The emulated color scheme of the operating system. A theme in the user settings overrides it.
   */
  colorScheme?: 'dark' | 'light';
  /** Number of image pixels per CSS pixel. */
  pixelRatio?: number;
  /** Size of the page in pixels, regardless of `zoom`. */
  viewport?: { width: number; height: number };
  /** Zoom factor of the browser. A factor of 2 shows everything twice as large. */
  zoom?: number;
}

export interface Browser {
  /**
   * Opens a page in a new context with its own keyring. Pages that are added to this context later
   * share the keyring.
   */
  newPage(options?: PageOptions): Promise<Page>;
  close(): Promise<void>;
}

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  // Without this flag, text has colored edges in some windows.
  '--disable-lcd-text',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Size in pixels, large enough that a notification doesn't cover the status bar. */
export const usualViewport = { width: 1280, height: 800 };

/**
 * @throws {Error} if neither Chromium nor Chrome is installed, with a message that says what to
 * install
 */
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
        // Disables animations so that a picture shows the state that a test waited for.
        reducedMotion: 'reduce',
      });
      context.setDefaultTimeout(usualWait);
      await addKeyring(context);
      if (pixelRatio !== 1) await drawFontsAlike(context);
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      return context.newPage();
    },
    close: () => browser.close(),
  };
}

/**
 * Makes text look the same in all windows. With a pixel ratio other than 1, Chromium would
 * otherwise hint some fonts in one window but not in another. The edges of glyphs would then
 * differ, and lines of text would be one CSS pixel higher or lower.
 */
async function drawFontsAlike(context: BrowserContext): Promise<void> {
  await context.addInitScript(`{
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { text-rendering: geometricPrecision !important }');
    document.adoptedStyleSheets.push(sheet);
  }`);
}

/**
 * Provides the host's half of the key that VS Code uses to encrypt the secrets in a page's storage.
 * The VS Code server doesn't provide this half, and secrets wouldn't survive a reload without it.
 */
async function addKeyring(context: BrowserContext): Promise<void> {
  const half = randomBytes(32);
  await context.route('**/mint-key', (route) => route.fulfill({ body: half }));
}
