import assert from 'node:assert/strict';
import type { Emulator } from '../emulator/emulator.ts';
import type { Workbench } from '../vscode/workbench.ts';
import { takePicture } from './pictures.ts';
import { apiKey, openWindow, projectId, startService, statusId } from './service.ts';
import { nightly } from './session.ts';

describe(`problems in a .env file ${nightly}`, () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startService();
  });
  after(() => emulator.close());
  beforeEach(() => emulator.reset());

  const envFile = (key = apiKey) =>
    `# mine\nIBM_API_KEY=${key}\nIBM_PROJECT_ID=${projectId}\nIBM_URL=${emulator.url}\n`;

  it("aren't shown until the folder is trusted", async () => {
    const { workbench, path } = await openWindow(emulator, {
      folderFiles: { '.env': envFile('"quoted"') },
      trust: 'restricted',
    });
    await workbench.openFile(path('.env'));
    await workbench.statusItem(statusId).waitFor({ text: /Hosted Model/ });
    assert.equal(await underlined(workbench), 0);
    await workbench.trustFolder();
    await workbench.openFile(path('.env'));
    await workbench.screen.until('a line to be underlined', async () =>
      (await underlined(workbench)) > 0 ? true : undefined,
    );
  });

  it('are shown without revealing the key, and have quick fixes', async () => {
    const secret = 'secret-key-0123456789';
    const { workbench, path } = await openWindow(emulator, {
      viewport: { width: 1100, height: 450 },
      // Keeps distractions out of the picture.
      userSettings: {
        'breadcrumbs.enabled': false,
        // Keeps VS Code's own AI fixes out of the picture.
        'chat.disableAIFeatures': true,
        'editor.hideCursorInOverviewRuler': true,
        'editor.lightbulb.enabled': 'off',
        // Otherwise, a link's underline would hide the squiggle.
        'editor.links': false,
        'editor.minimap.enabled': false,
        'editor.occurrencesHighlight': 'off',
        'editor.scrollbar.vertical': 'hidden',
      },
      folderFiles: {
        '.env': [
          '# Our hosted model',
          'IBM_URL=https://eu-de.ml.cloud.ibm.com/ml/v1/text/chat',
          `IBM_API_KEY="${secret}"`,
          '',
        ].join('\n'),
      },
    });
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
    await workbench.openFile(path('.env'));
    await workbench.screen.until('two values to be underlined', async () =>
      (await underlined(workbench)) === 2 ? true : undefined,
    );
    await workbench.runCommand('Problems: Focus on Problems View');
    const rows = workbench.page.locator('.markers-panel .monaco-list-row');
    await rows.filter({ hasText: 'has quotes' }).waitFor();
    const problems = (await rows.allTextContents()).join('\n');
    assert.match(problems, /IBM_PROJECT_ID is missing/);
    assert.match(problems, /IBM_URL includes an endpoint path/);
    assert.ok(!problems.includes(secret));
    for (const theme of ['dark', 'light'] as const) {
      if (theme === 'light') await workbench.toggleTheme();
      await rows.filter({ hasText: 'has quotes' }).click();
      await workbench.openFile(path('.env'));
      await workbench.editor.placeCursor(3, 18);
      const fixes = workbench.page.locator('.action-widget .monaco-list-row.action');
      const cleanUp = fixes.filter({ hasText: 'Clean Up Value' });
      // VS Code closes the list of fixes if diagnostics arrive while the list is opening.
      await workbench.screen.until('the quick fixes', async () => {
        await workbench.page.keyboard.press('Control+.');
        return cleanUp.waitFor({ timeout: 3_000 }).then(
          () => true,
          () => undefined,
        );
      });
      const { width, height } = workbench.page.viewportSize() ?? assert.fail();
      const x = 52;
      const clip = { x, y: 35, width: width - x, height: height - 62 };
      await takePicture(workbench.page, `env-file-${theme}`, clip);
      await workbench.page.keyboard.press('Escape');
    }
  });
});

function underlined({ page }: Workbench): Promise<number> {
  return page.evaluate<number>(`document.querySelectorAll('.squiggly-error').length`);
}
