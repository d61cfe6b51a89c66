import assert from 'node:assert/strict';
import type { Emulator } from '../../emulator/emulator.ts';
import { answerSetUp } from '../../vscode/setUpWalk.ts';
import type { Workbench } from '../../vscode/workbench.ts';
import { legibleComments, takeSmallPicture, takesPictures } from '../pictures.ts';
import { apiKey, generate, projectId, startService, statusId } from '../service.ts';
import { nightly, openWorkbench } from '../session.ts';

const quickInputWidget = '.quick-input-widget';
const lines = [
  'class Item:',
  '    price: float',
  '    count: int',
  '',
  '',
  '# Write a function that returns the total price of all items.',
];
const source = `${lines.join('\n')}\n`;
const code = `def total_price(items: list[Item]) -> float:
    return sum(item.price * item.count for item in items)`;

const viewport = { width: 1500, height: 900 };

describe(`the walkthrough ${nightly}`, () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startService();
  });
  afterEach(() => emulator.close());

  for (const theme of ['dark', 'light'] as const) {
    it(`marks each step as done when the user completes it (${theme})`, async () => {
      const { workbench, path } = await openWorkbench({
        theme,
        viewport,
        folderFiles: { 'prices.py': source },
        userSettings: {
          ...legibleComments,
          'hostedModel.authUrl': emulator.url,
          'breadcrumbs.enabled': false,
          // The list of sessions would take up half of the wide chat.
          'chat.viewSessions.enabled': false,
          'editor.lightbulb.enabled': 'off',
          'editor.minimap.enabled': false,
        },
      });
      const { page, quickInput } = workbench;
      const picture = (name: string, selector: string, height?: number) =>
        takePart(workbench, selector, `walkthrough/${name}-${theme}`, height);
      await openWalkthrough(workbench);
      await completed(workbench, []);

      await workbench.runCommand('Hosted Model: Set Up...');
      await answerSetUp(workbench, { apiKey, projectId, url: emulator.url });
      await quickInput.pick('$(save) Save Without Testing');
      await workbench.notifications.close(/is set up/);
      await completed(workbench, ['setUp']);

      emulator.settings.answer = () => code;
      await workbench.runCommand('View: Close All Editors');
      await workbench.openFile(path('prices.py'));
      await workbench.editor.selectLines(lines.length);
      await workbench.runCommand(generate);
      await workbench.editor.waitForText(`${source}${code}\n`);
      // On a busy machine, VS Code can take more than a minute to update the colors of new text.
      // The colors matter only in the saved screenshot.
      if (takesPictures) await workbench.editor.waitForSameColor('float');
      await workbench.statusItem(statusId).waitFor({ text: /\d+m/ });
      await picture('generated', '.editor-group-container.active', 260);
      await openWalkthrough(workbench);
      await completed(workbench, ['setUp', 'generate']);

      await workbench.openFile(path('prices.py'));
      await workbench.runCommand('Hosted Model: Generate with Template...');
      await quickInput.waitFor({ item: 'Explain' });
      await picture('templates', quickInputWidget);
      await quickInput.dismiss();
      await openWalkthrough(workbench);
      await completed(workbench, ['setUp', 'generate']);

      await workbench.openFile(path('prices.py'));
      await workbench.runCommand('Hosted Model: Generate with Template...');
      await quickInput.pick('Rewrite');
      const rewritten = [...lines.slice(0, -1), code, code, ''].join('\n');
      await workbench.editor.waitForText(rewritten);
      await openWalkthrough(workbench);
      await completed(workbench, ['setUp', 'generate', 'templates']);

      await workbench.runCommand('Hosted Model: Use in Chat');
      await workbench.dialogs.click('Use in Chat');
      const explanation = 'Use the built-in function sum(), as in sum(prices).';
      emulator.settings.answer = () => explanation;
      await page.locator('.chat-input-container', { hasText: 'granite-4-h-small' }).click();
      await page.keyboard.type('How do I add up a list in Python?');
      await page.keyboard.press('Enter');
      await page.locator('.interactive-item-container', { hasText: explanation }).waitFor();
      // Makes the picture about as wide as the other walkthrough pictures. In a short window, the
      // question and the model picker are close to each other.
      await workbench.runCommand('View: Maximize Secondary Side Bar');
      await page.setViewportSize({ width: 680, height: 380 });
      // Leaves out the row below the input, which shows where the chat session runs.
      const top = (await page.locator('.interactive-session').boundingBox())?.y ?? 0;
      const input = await page.locator('.chat-input-container').boundingBox();
      assert.ok(input);
      await picture('chat', '.interactive-session', input.y + input.height + 8 - top);
      await page.setViewportSize(viewport);
      await workbench.runCommand('View: Restore Secondary Side Bar');
      await openWalkthrough(workbench);
      await completed(workbench, ['setUp', 'generate', 'templates', 'chat']);

      await workbench.runCommand('View: Close All Editors');
      await workbench.runCommand('Hosted Model: Show Status and Actions');
      await quickInput.waitFor({ item: '$(refresh) Refresh Token' });
      await picture('menu', quickInputWidget);
      await quickInput.dismiss();
      await openWalkthrough(workbench);
      await completed(workbench, ['setUp', 'generate', 'templates', 'chat', 'status']);
      await showsPicture(workbench);
      await workbench.screenshot(`walkthrough-${theme}`);
    });
  }
});

async function openWalkthrough(workbench: Workbench): Promise<void> {
  await workbench.runCommand('Welcome: Open Walkthrough...');
  await workbench.quickInput.pick('Get Started with Hosted Model');
  await workbench.page.waitForSelector('.getting-started-step');
  const text = await workbench.page.locator('.getting-started-step.expanded').textContent();
  assert.doesNotMatch(text ?? '', /[`_*]/, 'the Markdown is rendered');
}

/** Waits until these steps, and no others, are done. */
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
  assert.equal(await steps.count(), 5);
}

/**
 * Waits until the window shows the picture of the open step. The picture is visible only in a wide
 * window.
 */
async function showsPicture({ page, screen }: Workbench): Promise<void> {
  const size = `document.querySelector('.getting-started-media img')?.naturalWidth ?? 0`;
  await screen.until('the picture of the step', async () =>
    (await page.evaluate<number>(size)) > 100 ? true : undefined,
  );
}

/** Takes a screenshot of part of the window so that the image stays small and readable. */
async function takePart(
  { page }: Workbench,
  selector: string,
  name: string,
  height?: number,
): Promise<void> {
  const box = await page.locator(selector).first().boundingBox();
  assert.ok(box, selector);
  // Moves the pointer away from anything that would be highlighted.
  await page.mouse.move(0, 0);
  // Leaves no margin, because a margin would show fragments of neighboring parts.
  const clip = { ...box, width: Math.min(620, box.width), height: height ?? box.height };
  await takeSmallPicture(page, name, clip);
}
