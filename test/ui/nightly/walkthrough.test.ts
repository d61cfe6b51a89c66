import assert from 'node:assert/strict';
import type { Emulator } from '../../emulator/emulator.ts';
import { answerSetUp } from '../../vscode/setUpWalk.ts';
import type { Workbench } from '../../vscode/workbench.ts';
import { takeSmallPicture } from '../pictures.ts';
import { apiKey, generate, projectId, startService, statusId } from '../service.ts';
import { nightly, openWorkbench } from '../session.ts';

const quickInput = '.quick-input-widget';

describe(`the walkthrough ${nightly}`, () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startService();
  });
  afterEach(() => emulator.close());

  for (const theme of ['dark', 'light'] as const) {
    it(`has steps that complete by themselves, in the order of a first day (${theme})`, async () => {
      const { workbench, path } = await openWorkbench({
        theme,
        viewport: { width: 1500, height: 800 },
        folderFiles: { 'letter.txt': 'Write a reply.\n' },
        userSettings: {
          'hostedModel.authUrl': emulator.url,
          'editor.lightbulb.enabled': 'off',
        },
      });
      const picture = (name: string, selector: string, height?: number) =>
        takePart(workbench, selector, `walkthrough/${name}-${theme}`, height);
      await openWalkthrough(workbench);
      await completed(workbench, []);

      await workbench.runCommand('Hosted Model: Set Up...');
      await answerSetUp(workbench, { apiKey, projectId, url: emulator.url }, async (step) => {
        if (step === 2) await picture('key', quickInput);
      });
      await workbench.quickInput.pick('$(save) Save Without Testing');
      await workbench.notifications.close(/is set up/);
      await completed(workbench, ['getKey', 'setUp']);

      emulator.settings.projectIds = ['another'];
      await workbench.runCommand('Hosted Model: Diagnose Connection');
      await workbench.quickInput.waitFor({ item: '$(copy) Copy Report' });
      await workbench.quickInput.dismiss();
      await completed(workbench, ['getKey', 'setUp']);
      emulator.settings.projectIds = [projectId];
      await workbench.runCommand('Hosted Model: Diagnose Connection');
      await workbench.quickInput.waitFor({ item: '$(copy) Copy Report' });
      await picture('diagnose', quickInput);
      await workbench.quickInput.dismiss();
      await completed(workbench, ['getKey', 'setUp', 'test']);

      await workbench.runCommand('Hosted Model: Show Status and Actions');
      await workbench.quickInput.waitFor({ item: '$(refresh) Refresh Token' });
      await picture('menu', quickInput);
      await workbench.quickInput.dismiss();
      await completed(workbench, ['getKey', 'setUp', 'test', 'status']);

      // Short enough for the picture.
      emulator.settings.answer = () => 'Thank you. Your parcel arrives on Friday.';
      await workbench.openFile(path('letter.txt'));
      await workbench.editor.selectLines(1);
      await workbench.runCommand(generate);
      await workbench.page.getByText('arrives on Friday.').waitFor();
      await workbench.statusItem(statusId).waitFor({ text: /\d+m/ });
      await picture('generated', '.editor-group-container.active', 140);
      await openWalkthrough(workbench);
      await completed(workbench, ['getKey', 'setUp', 'test', 'status', 'generate']);

      await workbench.runCommand('Hosted Model: Use in Chat');
      await workbench.dialogs.click('Use in Chat');
      const { page } = workbench;
      const can = 'I answer questions, explain code and, as an agent, edit files.';
      emulator.settings.answer = () => can;
      await page.locator('.chat-input-container', { hasText: 'granite-4-h-small' }).click();
      await page.keyboard.type('What can you do?');
      await page.keyboard.press('Enter');
      const answer = page.locator('.interactive-item-container', { hasText: can });
      await answer.waitFor();
      await picture('chat', '.interactive-list', 260);
      await openWalkthrough(workbench);
      await completed(workbench, ['getKey', 'setUp', 'test', 'status', 'generate', 'chat']);
      await showsPicture(workbench);
      await workbench.screenshot(`walkthrough-${theme}`);
    });
  }
});

async function openWalkthrough(workbench: Workbench): Promise<void> {
  await workbench.runCommand('Welcome: Open Walkthrough...');
  await workbench.quickInput.pick('Get Started with Hosted Model');
  await workbench.page.waitForSelector('.getting-started-step');
}

/** Waits until these steps are done, and no others. */
async function completed(workbench: Workbench, wanted: readonly string[]): Promise<void> {
  const steps = workbench.page.locator('.getting-started-step');
  await workbench.screen.until(`the steps ${wanted.join(', ')} to be done`, async () => {
    const done: string[] = [];
    for (const step of await steps.all()) {
      const isDone = (await step.locator('.complete').count()) > 0;
      const id = (await step.getAttribute('data-step-id')) ?? '';
      if (isDone) done.push(id.split('#').at(-1) ?? '');
    }
    return JSON.stringify(done.sort()) === JSON.stringify([...wanted].sort()) ? true : undefined;
  });
  assert.equal(await steps.count(), 6);
}

/** The picture of the open step, which a window this wide has room for. */
async function showsPicture({ page, screen }: Workbench): Promise<void> {
  const size = `document.querySelector('.getting-started-media img')?.naturalWidth ?? 0`;
  await screen.until('the picture of the step', async () =>
    (await page.evaluate<number>(size)) > 100 ? true : undefined,
  );
}

/** A part of the window with a margin, so that the picture stays small and readable. */
async function takePart(
  { page }: Workbench,
  selector: string,
  name: string,
  height?: number,
): Promise<void> {
  const box = await page.locator(selector).first().boundingBox();
  assert.ok(box, selector);
  const margin = 8;
  const x = Math.max(0, box.x - margin);
  const clip = {
    x,
    y: Math.max(0, box.y - margin),
    width: Math.min(620, box.width + 2 * margin, (page.viewportSize()?.width ?? 0) - x),
    height: (height ?? box.height) + 2 * margin,
  };
  await takeSmallPicture(page, name, clip);
}
