import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { openWorkbench } from './session.ts';

const named = (label: string, part: string) => ({
  label,
  type: 'process',
  command: 'touch',
  args: [`\${workspaceFolder}/ran-${part}`],
  problemMatcher: [],
});
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => undefined,
  );

describe('substitution in a tasks.json of a folder', () => {
  it('G04: gets nothing out of a command: the task does not even run', async () => {
    const tasks = [named('leak', `\${command:hostedModel.showLog}`), named('control', 'x')];
    const { workbench, path } = await openWorkbench({
      folderFiles: { '.vscode/tasks.json': JSON.stringify({ version: '2.0.0', tasks }) },
    });
    const run = async (label: string) => {
      await workbench.runCommand('Tasks: Run Task');
      await workbench.quickInput.waitFor({ item: label });
      await workbench.quickInput.type(label);
      await workbench.quickInput.accept();
    };
    await run('leak');
    // The command itself ran, so what it gave back is what the task got.
    await workbench.page
      .locator('.part.panel .output-view, .part.panel [id*="output"]')
      .first()
      .waitFor();
    await run('control');
    await workbench.screen.until('the other task to have run', () => exists(path('ran-x')));
    for (const part of ['', 'undefined', 'null', 'void 0']) {
      assert.equal(await exists(path(`ran-${part}`)), undefined, part);
    }
  });
});
