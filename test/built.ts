import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Reads the files that `npm run package` created, for tests and benchmarks. */

interface Output {
  readonly entryPoint?: string;
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
}

/** Returns the metadata of each built file: its entry point and its inputs. */
export function outputs(): Readonly<Record<string, Output>> {
  return JSON.parse(readFileSync('dist/meta.json', 'utf8')).outputs;
}

/** The path to the extension's entry point, which VS Code loads. */
export const extensionPath = 'dist/extension.js';

/**
 * Returns the path to the file that was built from this entry point.
 * @throws {Error} if there is no such file
 */
export function partPath(source: string): string {
  const found = Object.entries(outputs()).find(([, { entryPoint }]) => entryPoint === source);
  if (!found) throw new Error(`${source} isn’t an entry point`);
  return found[0];
}

/** Returns the paths to a file and to all files that it imports, directly or indirectly. */
export function loadedWith(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  // Reads the imports from the file, because the metadata also lists unused imports that the build
  // removed.
  const imports = readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*"\.\/([\w.-]+)"/g);
  for (const [, name = ''] of imports) loadedWith(join(dirname(path), name), found);
  return found;
}

/** Returns the files that the first command loads in addition to those loaded at activation. */
export function loadedByFirstCommand(): readonly string[] {
  const before = loadedAtStart();
  return [...loadedWith(partPath('src/app.ts'))].filter((path) => !before.has(path));
}

export function loadedAtStart(): ReadonlySet<string> {
  return loadedWith(extensionPath);
}
