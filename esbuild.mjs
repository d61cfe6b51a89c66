/**
 * Builds dist/: `extension.js`, a file for each place in src that imports on first use, and one file
 * with the modules that these share.
 */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as esbuild from 'esbuild';
import { noticesOf } from './notices.ts';
import { shippedPage } from './shippedPage.ts';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

const options = {
  entryPoints: ['src/extension.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  // Built anew after a change, several files can share modules.
  chunkNames: watch ? '[name]-[hash]' : '[name]',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: ['vscode'],
  // The one for browsers: without the adapter for Node, which takes form-data and mime-db along.
  alias: { axios: './node_modules/axios/dist/esm/axios.js' },
  // VS Code logs an error of the extension when a library looks for it:
  // https://aka.ms/vscode-extensions/navigator
  define: { navigator: 'undefined' },
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  // While it watches: when a build begins and ends, which VS Code waits for.
  logLevel: watch ? 'info' : 'warning',
  metafile: true,
};

/**
 * esbuild makes a file for each set of entry points that share a module. If all entry points import
 * all shared modules, there is only one such set.
 */
async function withOneSharedFile() {
  // Hashes, since there are many shared files yet.
  const { metafile } = await esbuild.build({ ...options, chunkNames: '[hash]', write: false });
  const entries = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  const all = entries.flatMap((entry) => [...importedBy(entry, metafile)]);
  // Packages come along with the modules that import them.
  const shared = new Set(
    all.filter((path, index) => path.startsWith('src/') && all.indexOf(path) < index),
  );
  const imports = [...shared].map((path) => `import ${JSON.stringify(resolve(path))};`).join('');
  const plugin = {
    name: 'one-shared-file',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!entries.some((entry) => resolve(entry) === path)) return undefined;
        // On the first line, so that source maps stay right.
        return { contents: imports + (await readFile(path, 'utf8')), loader: 'ts' };
      });
    },
  };
  return { ...options, plugins: [plugin] };
}

/** A source file and all that it imports at once. */
function importedBy(path, metafile, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: imported, kind, external } of metafile.inputs[path].imports) {
    if (kind !== 'dynamic-import' && !external) importedBy(imported, metafile, found);
  }
  return found;
}

await rm('dist', { recursive: true, force: true });
if (watch) {
  const context = await esbuild.context(options);
  await context.watch();
} else {
  const { metafile } = await esbuild.build(await withOneSharedFile());
  // What went into the files; not shipped, read by the tests of the package.
  await writeFile('dist/meta.json', JSON.stringify(metafile));
  if (production) {
    await writeFile('ThirdPartyNotices.txt', noticesOf(Object.keys(metafile.inputs)));
    const { repository } = JSON.parse(await readFile('package.json', 'utf8'));
    for (const page of ['README.md', 'CHANGELOG.md']) {
      const text = await readFile(page, 'utf8');
      await writeFile(`dist/${page}`, shippedPage(text, repository !== undefined));
    }
  }
  for (const path of Object.keys(metafile.outputs).filter((name) => name.endsWith('.js'))) {
    const { size } = await stat(path);
    console.log(`${(size / 1024).toFixed(1).padStart(8)} KB  ${path}`);
  }
}
