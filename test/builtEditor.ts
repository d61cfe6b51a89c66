import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostedModel, Started } from '../src/app.ts';
import type { ServiceRuntime } from '../src/service/serviceRuntime.ts';
import { partPath } from './built.ts';

/**
 * The code of a fake editor. Almost every property and call returns the editor itself, but calls to
 * `get` and `inspect` return undefined, so no setting has a value.
 */
const ANYTHING = `
const anything = new Proxy(function () {}, {
  get: (_, property) =>
    property === Symbol.toPrimitive ? () => '' :
    property === 'get' || property === 'inspect' ? () => undefined :
    property === 'then' ? undefined : anything,
  set: () => true,
  apply: () => anything,
  construct: () => anything,
});`;

/**
 * Provides the `vscode` module to the built files.
 * @param source the code of the module, without its exports
 * @param exportOf returns the expression that the module exports under this name
 */
export function provideEditor(
  source = ANYTHING,
  exportOf: (name: string) => string = () => 'anything',
): ReturnType<typeof registerHooks> {
  const names = new Set<string>();
  for (const path of globSync('dist/*.js')) {
    for (const [, list] of readFileSync(path, 'utf8').matchAll(/import\{([^}]*)\}from"vscode"/g)) {
      for (const name of list?.split(',') ?? []) names.add(name.split(' as ')[0] ?? name);
    }
  }
  const exports = [...names].map((name) => `export const ${name} = ${exportOf(name)};`);
  return registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'vscode'
        ? { url: 'vscode:editor', format: 'module', shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) =>
      url === 'vscode:editor'
        ? { format: 'module', source: [source, ...exports].join('\n'), shortCircuit: true }
        : next(url, context),
  });
}

/** Creates the service runtime from the built files. Call `provideEditor` first. */
export async function shippedRuntime(): Promise<ServiceRuntime> {
  const file = pathToFileURL(resolve(partPath('src/app.ts'))).href;
  const shipped: { HostedModel: typeof HostedModel } = await import(file);
  const keys = { onDidChange: () => ({ dispose: () => {} }) };
  const started = {
    ...{ context: {}, log: {}, status: {}, stored: { keys } },
    make: (make: () => unknown) => make(),
    inBackground: () => {},
  } as unknown as Started;
  return new shipped.HostedModel(started).runtime;
}
