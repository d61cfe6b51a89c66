/** Builds dist/: what VS Code loads at activation, and what loads when it is first used. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import * as esbuild from 'esbuild';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

/**
 * Parts of axios that nothing here can reach: browser and fetch adapters, forms (with a table of
 * all media types), redirects, its own proxy agent (VS Code's applies), HTTP/2,
 * transfer limits, its older way to cancel and a table of status codes. They are two thirds of its
 * size.
 */
const unreachable = {
  name: 'unreachable',
  setup({ onResolve, onLoad }) {
    const packages = /^(form-data|follow-redirects|https-proxy-agent|proxy-from-env|http2)$/;
    const files =
      /\/(xhr|fetch|Http2Sessions|formDataToStream|formDataToJSON|toFormData|AxiosURLSearchParams|fromDataURI|readBlob|shouldBypassProxy|HttpStatusCode|CancelToken|AxiosTransformStream|ZlibHeaderTransformStream|callbackify)\.js$/;
    const stub = ({ path }) => ({ path: basename(path), namespace: 'unreachable' });
    onResolve({ filter: packages }, stub);
    onResolve({ filter: files }, (found) =>
      found.importer.includes('/axios/lib/') ? stub(found) : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'unreachable' }, () => ({
      contents:
        'export default class Unreachable {}\nexport const getFetch = () => undefined;\nexport const getProxyForUrl = () => "";',
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

options.plugins.push(await activationTogether());
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
 * Keeps in one file what activation shares with the parts that load later: esbuild makes a file for
 * each set of parts that share something, and each takes activation a third of a millisecond. It is
 * one set where all parts that need any of it import all of it.
 */
async function activationTogether() {
  const { outputs } = (await esbuild.build({ ...options, write: false })).metafile;
  const sourcesIn = (path) => Object.keys(outputs[path].inputs);
  // Each file imports the one that esbuild has its own wrappers in.
  const isShared = (path) => sourcesIn(path).length > 0;
  const shared = filesLoadedWith('dist/extension.js', outputs).filter(isShared);
  const imports = shared
    .flatMap(sourcesIn)
    .map((path) => `import ${JSON.stringify(resolve(path))};`);
  const parts = Object.entries(outputs)
    .filter(([path]) => filesLoadedWith(path, outputs).some((other) => shared.includes(other)))
    .flatMap(([, { entryPoint }]) => (entryPoint ? resolve(entryPoint) : []));
  return {
    name: 'activation together',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!parts.includes(path)) return undefined;
        return { contents: [await readFile(path, 'utf8'), ...imports].join('\n'), loader: 'ts' };
      });
    },
  };
}

/** The other files that a file loads at once. */
function filesLoadedWith(path, outputs, found = new Set()) {
  for (const { path: other, kind, external } of outputs[path].imports) {
    if (kind !== 'import-statement' || external || found.has(other)) continue;
    found.add(other);
    filesLoadedWith(other, outputs, found);
  }
  return [...found];
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
