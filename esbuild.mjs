/** Builds dist/: what VS Code loads at activation, and what loads when it is first used. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import * as esbuild from 'esbuild';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

/**
 * Parts of axios that nothing here can reach: its adapters (`nodeAdapter.ts` has their place), forms,
 * parameters in addresses, headers as one text, its older way to cancel and a table of status codes;
 * and what axios-retry asks where nobody says what is worth a retry.
 */
const unreachable = {
  name: 'unreachable',
  setup({ onResolve, onLoad }) {
    const stub = (path) => ({ path, namespace: 'unreachable' });
    const files =
      /\/(formDataToJSON|toFormData|toURLEncodedForm|AxiosURLSearchParams|assertParamsAcyclic|buildURL|buildFullPath|parseHeaders|HttpStatusCode|CancelToken)\.js$/;
    onResolve({ filter: /^(form-data|is-retry-allowed)$/ }, () => stub('anything'));
    onResolve({ filter: files }, ({ importer }) =>
      importer.includes('/axios/lib/') ? stub('anything') : undefined,
    );
    // Each gets a name of its own, so that they must not be one.
    onResolve({ filter: /^\.\/(http|xhr|fetch)\.js$/ }, ({ importer, path }) =>
      importer.endsWith('/axios/lib/adapters/adapters.js') ? stub(path) : undefined,
    );
    // It looks at each request for options that are misspelt, as TypeScript has done.
    onLoad({ filter: /\/axios\/lib\/helpers\/validator\.js$/ }, () => ({
      contents:
        'const check = () => {};\nexport default { assertOptions: check, validators: new Proxy({}, { get: () => check }) };',
    }));
    onLoad({ filter: /.*/, namespace: 'unreachable' }, () => ({
      contents: 'export default class Unreachable {}\nexport const getFetch = () => undefined;',
    }));
  },
};

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
  plugins: [unreachable],
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  logLevel: 'warning',
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
  for (const path of Object.keys(metafile.outputs).filter((name) => name.endsWith('.js'))) {
    if (production) await dropIdleImports(path, metafile);
    const { size } = await stat(path);
    console.log(`${(size / 1024).toFixed(1).padStart(8)} KB  ${path}`);
  }
}

/**
 * esbuild lets every file import the one with its own wrappers for CommonJS, also where nothing of
 * it is used. Without that line activation has a file less to load.
 */
async function dropIdleImports(path, { outputs }) {
  const text = await readFile(path, 'utf8');
  const kept = text.replace(/import"\.\/([\w.-]+)";/g, (line, name) =>
    Object.keys(outputs[`dist/${name}`]?.inputs ?? { unknown: {} }).length === 0 ? '' : line,
  );
  if (kept !== text) await writeFile(path, kept);
}
