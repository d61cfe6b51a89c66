/**
 * Builds `dist`: `extension.js`, one file for each part that is loaded on first use, and two files
 * with the modules that they share.
 */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { resolve } from 'node:path';
import * as esbuild from 'esbuild';
import { noticesOf } from './notices.ts';
import { shippedPage } from './shippedPage.ts';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

/** Lets CommonJS packages `require` Node's built-in modules. ES modules can only import them. */
const requiredBuiltIns = {
  name: 'required-built-ins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^[a-z_]+$/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'built-in' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path }) => ({
      contents: `export * from 'node:${path}';`,
    }));
  },
};

const options = {
  // Activation loads the first one. An `import()` loads each of the others on first use.
  entryPoints: {
    extension: 'src/extension.ts',
    app: 'src/app.ts',
    chat: 'src/chat/makeChat.ts',
    templates: 'src/templates/templateFeature.ts',
    envFile: 'src/envFile/envFileFeature.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: 'shared-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: ['vscode'],
  // The browser build. The Node build has an adapter that pulls in form-data and mime-db.
  alias: { axios: './node_modules/axios/dist/esm/axios.js' },
  // VS Code logs an error for the extension if a library accesses `navigator`:
  // https://aka.ms/vscode-extensions/navigator
  define: { navigator: 'undefined' },
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  // In watch mode, esbuild prints when a build starts and ends. VS Code waits for these lines.
  logLevel: watch ? 'info' : 'warning',
  metafile: true,
  plugins: [requiredBuiltIns],
};

/**
 * By default, esbuild creates a file for each set of entry points that share a module. If all entry
 * points except the first import every shared module, only two sets are left: the modules that
 * activation also needs, and the others.
 */
async function withTwoSharedFiles() {
  const { metafile } = await esbuild.build({ ...options, write: false });
  const [activation, ...later] = Object.values(options.entryPoints);
  const atActivation = importedBy(activation, metafile);
  const all = later.flatMap((entry) => [...importedBy(entry, metafile)]);
  // Packages follow the modules that import them.
  const shared = new Set(
    all.filter(
      (path, index) =>
        path.startsWith('src/') && (atActivation.has(path) || all.indexOf(path) < index),
    ),
  );
  const imports = [...shared].map((path) => `import ${JSON.stringify(resolve(path))};`).join('');
  const plugin = {
    name: 'two-shared-files',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!later.some((entry) => resolve(entry) === path)) return undefined;
        // Add no line, so that source maps stay correct.
        return { contents: imports + (await readFile(path, 'utf8')), loader: 'ts' };
      });
    },
  };
  return { ...options, plugins: [...options.plugins, plugin] };
}

/** Returns a source file and everything it imports statically. */
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
  const { metafile } = await esbuild.build(await withTwoSharedFiles());
  // Lists the inputs of each file. The package tests read it, and it isn't shipped.
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
