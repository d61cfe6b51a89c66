import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import manifest from '../../../package.json' with { type: 'json' };
import { jobsOf, type Step, WORKFLOWS } from '../../release/workflows.ts';

const PUBLISH = '.github/publish';
/** Programs that GitHub's runners provide, in addition to Node and npm. */
const OF_RUNNER: ReadonlySet<string> = new Set(['gh', 'test', 'xvfb-run']);

const stepsOf = (path: string): Step[] => Object.values(jobsOf(path)).flatMap(({ steps }) => steps);
const commandsOf = (path: string) =>
  stepsOf(path).flatMap(({ run = '' }) => run.split('\n').filter((line) => line !== ''));

/**
 * Parses a workflow with GitHub's parser.
 * @returns the errors in the workflow, including errors in expressions
 */
async function problemsIn(name: string, content: string): Promise<string[]> {
  // The parser is meant for bundlers, so it imports JSON in a way that Node doesn't support.
  const hooks = registerHooks({
    load: (url, context, next) =>
      url.includes('/workflow-parser/') && url.endsWith('.json')
        ? {
            format: 'module',
            source: `export default ${readFileSync(new URL(url), 'utf8')}`,
            shortCircuit: true,
          }
        : next(url, context),
  });
  try {
    const parser = await import('@actions/workflow-parser');
    const { context, value } = parser.parseWorkflow(
      { name, content },
      new parser.NoOperationTraceWriter(),
    );
    if (value) await parser.convertWorkflowTemplate(context, value);
    return context.errors.getErrors().map(({ message }) => message);
  } finally {
    hooks.deregister();
  }
}

/**
 * True if a command runs only one program, directly or through xvfb-run, and that program exists.
 * For npm and Node, the script must exist. For `npm ci`, the lock file must exist.
 */
function exists(command: string): boolean {
  if (/&&|[|;]/.test(command)) return false;
  const [program = '', ...given] = command.replace(/^xvfb-run -a /, '').split(' ');
  if (program === 'npm') {
    const [verb = '', script = ''] = given;
    if (verb === 'ci')
      return existsSync(`${given.includes(PUBLISH) ? PUBLISH : '.'}/package-lock.json`);
    return (verb === 'run' ? script : verb) in manifest.scripts;
  }
  if (program === 'npx') return existsSync(`node_modules/.bin/${given[0]}`);
  const [folder, name = ''] = program.split('/node_modules/.bin/');
  if (name !== '') {
    const lock = JSON.parse(readFileSync(`${folder}/package-lock.json`, 'utf8'));
    const packages: readonly { readonly bin?: object }[] = Object.values(lock.packages);
    return packages.some(({ bin = {} }) => name in bin);
  }
  return program === 'node' ? existsSync(given[0] ?? '') : OF_RUNNER.has(program);
}

describe('the workflows', () => {
  for (const path of WORKFLOWS) {
    it(`are accepted by GitHub's workflow parser: ${path}`, async () => {
      assert.deepEqual(await problemsIn(path, readFileSync(path, 'utf8')), []);
    });

    it(`run only existing programs and scripts: ${path}`, () => {
      const commands = commandsOf(path);
      assert.ok(commands.length > 3);
      assert.deepEqual(
        commands.filter((command) => !exists(command)),
        [],
      );
    });

    it(`pin actions to a commit, with the version in a comment: ${path}`, () => {
      const lines = readFileSync(path, 'utf8').match(/uses: .*/g) ?? [];
      assert.ok(lines.length > 0);
      for (const line of lines) assert.match(line, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    });
  }

  it('are rejected if they are invalid or run unknown or chained commands', async () => {
    const text = readFileSync(WORKFLOWS[1], 'utf8');
    const withErrors = text
      .replace('timeout-minutes', 'timeout-minuts')
      .replace('secrets.', 'secret.');
    assert.equal((await problemsIn('spoilt.yml', withErrors)).length, 2);
    for (const gone of [
      'npm run gone',
      'npm gone',
      'npx gone',
      'node gone.ts',
      'curl a.example',
      'npm ci && curl a.example',
    ]) {
      assert.equal(exists(gone), false, gone);
    }
  });

  it('pass the registry tokens only to the steps that publish', () => {
    const holders = WORKFLOWS.flatMap(stepsOf).filter((step) =>
      JSON.stringify(step).includes('secrets.'),
    );
    assert.deepEqual(
      holders.map(({ env = {} }) => Object.keys(env)),
      [['VSCE_PAT'], ['OVSX_PAT']],
    );
    for (const { run = '' } of holders) {
      assert.match(run, /^\S+\/(vsce|ovsx) publish .*hosted-model\.vsix[^\n]*$/);
    }
  });

  it("don't run npm scripts when publishing, and don't build with write permissions", () => {
    const { publish, build } = jobsOf(WORKFLOWS[1]);
    const runs = (publish?.steps ?? []).flatMap(({ run }) => run ?? []);
    for (const run of runs) assert.doesNotMatch(run, /npm (run|test)|npm ci$/);
    assert.ok(!JSON.stringify(build).includes('write'));
  });

  it('use only npm ci and npm test to test the extension', () => {
    const printed = execFileSync(process.execPath, ['test/release/workflows.ts'], {
      encoding: 'utf8',
    });
    assert.equal(printed, 'npm ci\nnpm test\n');
  });
});
