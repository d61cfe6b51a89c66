import assert from 'node:assert/strict';
import { access, readdir } from 'node:fs/promises';
import { statusId } from '../service.ts';
import { nightly, openWorkbench } from '../session.ts';

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

describe(`command substitution in a folder’s tasks.json ${nightly}`, () => {
  it("G04: doesn't get a value from the extension's commands, so the task doesn't run", async () => {
    const tasks = [named('leak', `\${command:hostedModel.showLog}`), named('control', 'x')];
    const { workbench, folder, path } = await openWorkbench({
      folderFiles: { '.vscode/tasks.json': JSON.stringify({ version: '2.0.0', tasks }) },
    });
    const run = async (label: string) => {
      await workbench.quickOpen(`task ${label}`);
      await workbench.quickInput.waitFor({ item: label });
      await workbench.quickInput.accept();
    };
    await workbench.statusItem(statusId).waitFor();
    await run('leak');
    // The open log proves that the command ran and returned.
    await workbench.screen.until('the log to have the keyboard', async () =>
      (await workbench.screen.read(`document.activeElement.closest('.part.panel') !== null`))
        ? true
        : undefined,
    );
    await run('control');
    await workbench.screen.until('the other task to have run', () => exists(path('ran-x')));
    const ran = (await readdir(folder)).filter((name) => name.startsWith('ran-'));
    assert.deepEqual(ran, ['ran-x']);
  });
});
