import 'node:crypto';
import 'node:https';
import 'node:zlib';
import { globSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { answerParent } from './child.ts';

/**
 * A process as an extension host is when it loads an extension: the network modules and `fetch` are
 * there, since the host has patched them, and the editor's API is a module that is loaded already.
 */

answerParent({ activate, load });

// Loads what is behind them.
for (const name of ['fetch', 'Headers', 'Request', 'Response', 'FormData'] as const) {
  globalThis[name].toString();
}
const names = new Set<string>();
for (const path of globSync('dist/*.js')) {
  for (const [, list] of readFileSync(path, 'utf8').matchAll(/import\{([^}]*)\}from"vscode"/g)) {
    for (const name of list?.split(',') ?? []) names.add(name.split(' as ')[0] ?? name);
  }
}
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode'
      ? { url: 'vscode:editor', format: 'module', shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) => {
    if (url !== 'vscode:editor') return next(url, context);
    const exports = [...names].map((name) => `export const ${name} = anything;`).join('\n');
    return { format: 'module', source: `${editor}\n${exports}`, shortCircuit: true };
  },
});
/** Whatever is asked of this editor it answers with itself; no setting has a value. */
const editor = `
const anything = new Proxy(function () {}, {
  get: (_, property) =>
    property === Symbol.toPrimitive ? () => '' :
    property === 'get' || property === 'inspect' ? () => undefined :
    property === 'then' ? undefined : anything,
  set: () => true,
  apply: () => anything,
  construct: () => anything,
});`;
const vscode = 'vscode';
await import(vscode);

/** Loads an extension and activates it. @returns milliseconds */
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

/** Loads a file and what it needs. @returns milliseconds */
async function load(path: string): Promise<number> {
  const startedAt = performance.now();
  await loaded(path);
  return performance.now() - startedAt;
}

async function loaded(path: string): Promise<{ activate?: (context: unknown) => unknown }> {
  if (path.endsWith('.cjs')) return createRequire(import.meta.url)(path);
  return import(pathToFileURL(path).href);
}
