/**
 * `npm run demo`: goes through setup, generation, undo, and diagnosis in a real VS Code, as a new
 * user would. Prints the document before and after the generation, and saves screenshots of the
 * main steps.
 */
import { join } from 'node:path';
import { startBrowser } from './browser.ts';
import { demoKey, demoProject, startSample } from './sample.ts';
import { setUp } from './setUpWalk.ts';
import { Workbench } from './workbench.ts';

const sample = await startSample();
const browser = await startBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 640 } });
  const workbench = new Workbench(page, sample.server);
  const picture = async (name: string) => {
    console.log(`picture: ${await workbench.screenshot(`demo-${name}`)}`);
  };
  await workbench.open();
  const status = workbench.statusItem('hostedModel.token');
  console.log(`status: ${(await status.waitFor({ text: /Set Up/ })).ariaLabel}`);

  const file = join(sample.folder, 'letter.md');
  await workbench.openFile(file);
  const answers = { apiKey: demoKey, projectId: demoProject, url: sample.emulator.url };
  await setUp(workbench, answers, async (step) => {
    if (step === 2 || step === 5) await picture(`set-up-${step}`);
  });
  console.log(`set up: ${(await workbench.notifications.waitFor(/is set up/)).text}`);
  await workbench.notifications.close(/is set up/);

  const before = await workbench.editor.savedText(file);
  console.log(`\n--- before\n${before}---`);
  await workbench.editor.selectLines(3);
  await workbench.runCommand('Hosted Model: Generate from selection');
  // Waits for the response to end, because saving earlier would start a new undo step.
  await workbench.editor.waitForText(/This one only counts\./);
  await status.waitFor({ text: /\$\(key\) \d+m/ });
  console.log(`status: ${(await status.waitFor({})).ariaLabel}`);
  await workbench.notifications.waitUntilGone(/Generating/);
  await picture('generated');
  const after = await workbench.editor.savedText(file);
  console.log(`\n--- after\n${after}---`);
  if (after === before) throw new Error('Nothing was generated.');

  await status.click();
  await workbench.quickInput.waitFor({ item: '$(refresh) Refresh Token' });
  await picture('menu');
  await workbench.quickInput.dismiss();

  await workbench.editor.focus();
  await workbench.editor.undo();
  const undone = await workbench.editor.savedText(file);
  console.log(`one undo restores the document: ${undone === before}`);
  if (undone !== before) throw new Error(`The document after one undo:\n${undone}`);

  sample.emulator.settings.apiKeys = [];
  await workbench.runCommand('Hosted Model: Diagnose Connection');
  const { prompt } = await workbench.quickInput.waitFor({ item: '$(copy) Copy Report' });
  console.log(`diagnosis of a rejected key: ${prompt}`);
  await picture('diagnose');
} finally {
  await browser.close();
  await sample.stop();
}
