import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

interface Task {
  readonly label: string;
  readonly command: string;
  readonly dependsOn?: readonly string[];
  readonly options?: { readonly env: Readonly<Record<string, string>> };
  readonly problemMatcher: { readonly background?: { readonly endsPattern: string } };
}

interface Configuration {
  readonly name: string;
  readonly preLaunchTask?: string;
  readonly port?: number;
}

const read = (path: string) => readFileSync(path, 'utf8');
const { scripts } = JSON.parse(read('package.json'));
const { tasks }: { readonly tasks: readonly Task[] } = JSON.parse(read('.vscode/tasks.json'));
const { configurations }: { readonly configurations: readonly Configuration[] } = JSON.parse(
  read('.vscode/launch.json'),
);
const named = (name: string) => configurations.find((one) => one.name === name);

describe('the launch configurations', () => {
  it('use only existing tasks and npm scripts', () => {
    const labels = tasks.map(({ label }) => label);
    const wanted = [
      ...configurations.flatMap(({ preLaunchTask = [] }) => preLaunchTask),
      ...tasks.flatMap(({ dependsOn = [] }) => dependsOn),
    ];
    assert.deepEqual(
      wanted.filter((label) => !labels.includes(label)),
      [],
    );
    for (const { command } of tasks) {
      const [, script = ''] = /^npm run (?:--silent )?(\S+)/.exec(command) ?? [];
      assert.ok(script in scripts, command);
    }
  });

  it('wait for text that their tasks print', () => {
    const printers = { emulator: 'test/emulator/main.ts', 'host tests': 'test/host/run.ts' };
    for (const [label, path] of Object.entries(printers)) {
      const task = tasks.find((one) => one.label === label);
      const end = task?.problemMatcher.background?.endsPattern ?? 'nothing';
      assert.match(read(path), new RegExp(end, 'm'));
    }
  });

  it('use the same ports as the tasks and test/vscode/window.ts', () => {
    const window = read('test/vscode/window.ts');
    const [, emulator, debug] = /= \[(\d+), (\d+)\]/.exec(window) ?? [];
    assert.ok(tasks.some(({ command }) => command.endsWith(`--port ${emulator}`)));
    assert.equal(named('Extension')?.port, Number(debug));
    const inspect = tasks.flatMap(({ options }) => options?.env['HOSTED_MODEL_INSPECT'] ?? []);
    assert.deepEqual(inspect, [String(named('Host tests')?.port)]);
  });
});
