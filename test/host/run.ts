/**
 * `node test/host/run.ts [newest | oldest | a version of code-server]`
 *
 * Runs the tests in this folder in the extension host of a real VS Code. Exits with the tests' exit
 * code. Doesn't build the extension.
 *
 * Environment: HOSTED_MODEL_DESKTOP_VSCODE=1 downloads and uses the desktop build. The version is
 * then a VS Code version, and `oldest` is the version in `engines` in package.json.
 * HOSTED_MODEL_EXTENSION is the path to another build of the extension, such as an unpacked VSIX.
 * HOSTED_MODEL_GREP selects tests by name. HOSTED_MODEL_INVERT=1 selects all other tests instead.
 * HOSTED_MODEL_INSPECT is the port on which the desktop build waits for a debugger before the first
 * test.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { runTests, TestRunFailedError } from '@vscode/test-electron';
import { type BuildOptions, build } from 'esbuild';
import manifest from '../../package.json' with { type: 'json' };
import { selfSigned } from '../contract/service/tlsServer.ts';
import { newestServer, oldestServer, repositoryRoot, testDirectory } from '../vscode/install.ts';
import { needServer } from '../vscode/system.ts';
import { trustedFileVariable } from './trusted.ts';

const desktop = process.env['HOSTED_MODEL_DESKTOP_VSCODE'] === '1';
const named: Readonly<Record<string, string>> = desktop
  ? { newest: 'stable', oldest: manifest.engines.vscode.replace('^', '') }
  : { newest: newestServer, oldest: oldestServer };
const argument = process.argv[2] ?? 'newest';
const version = named[argument] ?? argument;
const inspect = process.env['HOSTED_MODEL_INSPECT'];
if (!desktop) needServer();

const suite = await bundleTests();
const folder = await sampleFolder();
const trust = await trustedCertificate();
const color = process.stdout.isTTY ? { HOSTED_MODEL_COLOR: '1' } : {};
const where = desktop
  ? { version }
  : { vscodeExecutablePath: join(import.meta.dirname, '..', 'vscode', 'code.sh') };

if (inspect) console.log(`The extension host waits for a debugger at port ${inspect}.`);
try {
  await runTests({
    ...where,
    extensionDevelopmentPath: [
      process.env['HOSTED_MODEL_EXTENSION'] ?? repositoryRoot,
      join(import.meta.dirname, 'modelProvider'),
    ],
    extensionTestsPath: suite,
    launchArgs: [folder, ...(inspect ? [`--inspect-brk-extensions=${inspect}`] : [])],
    extensionTestsEnv: {
      HOSTED_MODEL_NODE: process.execPath,
      HOSTED_MODEL_SERVER_VERSION: version,
      ...color,
      ...trust,
    },
  });
} catch (error) {
  if (!(error instanceof TestRunFailedError)) throw error;
  process.exitCode = error.code ?? 1;
}

/**
 * Bundles all test files into one file so that the extension host loads shared modules only once.
 * Returns the path to the file that VS Code loads.
 */
async function bundleTests(): Promise<string> {
  const output = join(testDirectory, 'host');
  await rm(output, { recursive: true, force: true });
  const names = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.test.ts'));
  const tests = names.sort().map((name) => `import './${name}';`);
  const options: BuildOptions = {
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    // The `vscode` module exists only in the extension host, and mocha loads its own files at run
    // time.
    external: ['vscode', 'mocha'],
    // Prefers ES modules in packages that have no `exports`.
    mainFields: ['module', 'main'],
    logLevel: 'warning',
    sourcemap: inspect ? 'linked' : false,
  };
  const entry = join(output, 'suite.cjs');
  await build({
    ...options,
    entryPoints: [join(import.meta.dirname, 'suite.ts')],
    outfile: entry,
  });
  await build({
    ...options,
    stdin: { contents: tests.join('\n'), resolveDir: import.meta.dirname },
    outfile: join(output, 'tests.cjs'),
  });
  return entry;
}

/**
 * Creates a self-signed certificate like one that a company might use. Returns environment
 * variables: one with the certificate's path, for the tests, and SSL_CERT_FILE, which makes VS Code
 * on Linux trust the certificate. Returns no variables if openssl is missing.
 */
async function trustedCertificate(): Promise<Record<string, string>> {
  const own = await selfSigned('service.example');
  if (own === undefined) return {};
  const [file, bundle] = ['trusted.pem', 'trusted-bundle.pem'].map((name) =>
    join(testDirectory, name),
  );
  if (file === undefined || bundle === undefined) return {};
  await writeFile(file, own, { mode: 0o600 });
  await writeFile(
    bundle,
    [own.slice(own.indexOf('-----BEGIN CERT')), ...rootCertificates].join('\n'),
  );
  return { [trustedFileVariable]: file, SSL_CERT_FILE: bundle };
}

/** Creates a folder with files that tests can change. Replaces the folder from the previous run. */
async function sampleFolder(): Promise<string> {
  const path = join(testDirectory, 'host-folder');
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'letter.txt'), 'Dear Sir or Madam,\n\nWrite a reply.\n');
  await writeFile(join(path, 'windows.txt'), 'first line\r\nsecond line\r\n');
  return path;
}
