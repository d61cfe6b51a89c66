/** Builds dist/: what VS Code loads at activation, and what loads when it is first used. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
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
  chunkNames: 'part-[hash]',
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

await rm('dist', { recursive: true, force: true });
if (watch) {
  const context = await esbuild.context(options);
  await context.watch();
} else {
  const { metafile } = await esbuild.build(options);
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
