import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files that `npm run package` has made, as tests and benchmarks look at them. */

interface Output {
  readonly entryPoint?: string;
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
}

/** What the builder says of each file: the source that it begins with, and all that went into it. */
export function outputs(): Readonly<Record<string, Output>> {
  return JSON.parse(readFileSync('dist/meta.json', 'utf8')).outputs;
}

/** What VS Code loads. */
export const extensionPath = 'dist/extension.js';

/** The file that a source outside of the first one is loaded with. @throws {Error} if there is none */
export function partPath(source: string): string {
  const found = Object.entries(outputs()).find(([, { entryPoint }]) => entryPoint === source);
  if (!found) throw new Error(`${source} is no part of its own`);
  return found[0];
}

/** The files that a file loads at once, itself included. */
export function loadedWith(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  // Read, since the build takes out imports of which nothing is used.
  const imports = readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*"\.\/([\w.-]+)"/g);
  for (const [, name = ''] of imports) loadedWith(join(dirname(path), name), found);
  return found;
}

/** What the first command loads. */
export function loadedByFirstCommand(): readonly string[] {
  const before = loadedAtStart();
  return [...loadedWith(partPath('src/app.ts'))].filter((path) => !before.has(path));
}

/** All that is loaded before anything is asked of the extension. */
export function loadedAtStart(): ReadonlySet<string> {
  return loadedWith(extensionPath);
}
