/**
 * Stands in for the VS Code executable on machines without a display. Takes the arguments that
 * `runTests` of @vscode/test-electron passes, and runs the tests in the extension host of a VS Code
 * server. Prints the suite's output, and exits with the suite's exit code.
 *
 * Arguments: a folder to open, --extensionDevelopmentPath=… for each extension,
 * --extensionTestsPath=…, --disable-workspace-trust. Other arguments are ignored. The environment
 * variable HOSTED_MODEL_SERVER_VERSION selects the release of code-server. The suite prefixes its
 * output with the value of HOSTED_MODEL_CONSOLE_MARK, because all of the window's output arrives in
 * one stream.
 */
import { randomUUID } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { format, parseArgs } from 'node:util';
import { fullOrShort } from '../soak/fullOrShort.ts';
import { startBrowser } from './browser.ts';
import { newestServer } from './install.ts';
import { startVSCodeServer } from './server.ts';

/**
 * Built-in extensions for Git and for the languages and notebooks that the tests need. Some other
 * extensions start language servers, which no test needs.
 */
const builtInExtensions = [
  ...['git', 'git-base'],
  ...['dotenv', 'ipynb', 'javascript', 'markdown-basics', 'python'],
];

/**
 * Size in pixels. The window is small because nobody sees it and Chromium repeatedly redraws all of
 * it.
 */
const viewport = { width: 500, height: 400 };

/** Milliseconds after which a suite that hasn't ended counts as hung. */
const suiteMilliseconds = fullOrShort(300, 40) * 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  // `runTests` also passes flags for the desktop build.
  strict: false,
  options: {
    extensionDevelopmentPath: { type: 'string', multiple: true },
    extensionTestsPath: { type: 'string' },
    'disable-workspace-trust': { type: 'boolean' },
  },
});

process.exitCode = await runSuite();

async function runSuite(): Promise<number> {
  const mark = randomUUID();
  /** Output of the window and its built-in extensions. Useful only if the suite printed nothing. */
  const chatter: string[] = [];
  let suiteSpoke = false;
  const { extensionDevelopmentPath: developed } = values;
  const [extension, ...others] = Array.isArray(developed) ? developed : [];
  const server = await startVSCodeServer({
    version: process.env['HOSTED_MODEL_SERVER_VERSION'] ?? newestServer,
    ...(positionals[0] === undefined ? {} : { folder: resolve(positionals[0]) }),
    userSettings: {
      'security.workspace.trust.enabled': values['disable-workspace-trust'] !== true,
      // Makes Node use this system's certificates. Before VS Code 1.139, this was off by default.
      'http.systemCertificatesNode': true,
    },
    // A browser window supports only one extension under development, so the others load as
    // built-in extensions.
    builtInExtensions: [...builtInExtensions, ...others.map(requireAbsolute)],
    smokeTestDriver: true,
    env: { HOSTED_MODEL_CONSOLE_MARK: mark },
  });
  const browser = await startBrowser();
  const interrupt = Promise.withResolvers<number>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => interrupt.resolve(130));
  }
  const deadline = setTimeout(() => {
    console.error(`The suite has not ended after ${suiteMilliseconds / 60_000} minutes.`);
    interrupt.resolve(1);
  }, suiteMilliseconds);
  try {
    const page = await browser.newPage({ viewport });
    const ended = Promise.withResolvers<number>();
    page.on('crash', () => ended.reject(new Error(`The page crashed.\n${server.log()}`)));
    await page.exposeFunction('codeAutomationLog', (_level: string, args: unknown[]) => {
      if (args[0] !== mark) return void chatter.push(format(...args));
      suiteSpoke = true;
      console.log(format(...args.slice(1)));
    });
    await page.exposeFunction('codeAutomationExit', (code: number) => ended.resolve(code));
    const path = (value: unknown): string =>
      `vscode-remote://127.0.0.1:${server.port}${requireAbsolute(value)}`;
    const payload: [string, string][] = [
      ['extensionDevelopmentPath', path(extension)],
      ['extensionTestsPath', path(values['extensionTestsPath'])],
      ['skipWelcome', 'true'],
    ];
    await page.goto(server.url(undefined, payload));
    const code = await Promise.race([ended.promise, interrupt.promise]);
    if (!suiteSpoke) console.error(chatter.join('\n'));
    return code;
  } finally {
    clearTimeout(deadline);
    await browser.close();
    await server.stop();
  }
}

function requireAbsolute(value: unknown): string {
  if (typeof value !== 'string' || !isAbsolute(value)) {
    throw new Error('Pass --extensionDevelopmentPath and --extensionTestsPath as absolute paths.');
  }
  return value;
}
