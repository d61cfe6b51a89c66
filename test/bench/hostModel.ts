import 'node:crypto';
import 'node:https';
import 'node:zlib';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { extensionPath } from '../built.ts';
import { provideEditor } from '../builtEditor.ts';
import { answerParent } from './child.ts';

/**
 * A process in the same state as an extension host right before it loads an extension. The `vscode`
 * module is already loaded. The network modules and `fetch` are loaded too, because a host patches
 * them when it starts.
 */

answerParent({ activate, load });

// Reading these properties loads the code behind them.
for (const name of ['fetch', 'Headers', 'Request', 'Response', 'FormData'] as const) {
  globalThis[name].toString();
}
provideEditor();
const vscode = 'vscode';
await import(vscode);

/** Loads and activates an extension, and returns how long that took, in milliseconds. */
async function activate(path: string): Promise<number> {
  const startedAt = performance.now();
  await activated(path);
  return performance.now() - startedAt;
}

async function activated(path: string): Promise<void> {
  const disposable = { dispose: () => {} };
  const secrets = { keys: async () => [], get: async () => {}, onDidChange: () => disposable };
  const state = { get: () => undefined, update: async () => {} };
  const context = { subscriptions: [], secrets, globalState: state, workspaceState: state };
  const extension = await loaded(path);
  await extension.activate?.(context);
}

/**
 * Loads a file and its imports. If the file is part of the product, first loads the code that
 * activation loads. The time this takes isn't counted.
 * @returns how long the file took to load, in milliseconds
 */
async function load(path: string): Promise<number> {
  if (dirname(path) === resolve('dist')) await loaded(resolve(extensionPath));
  const startedAt = performance.now();
  await loaded(path);
  return performance.now() - startedAt;
}

async function loaded(path: string): Promise<{ activate?: (context: unknown) => unknown }> {
  if (path.endsWith('.cjs')) return createRequire(import.meta.url)(path);
  return import(pathToFileURL(path).href);
}
