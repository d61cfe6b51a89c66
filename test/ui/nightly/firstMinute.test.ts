import assert from 'node:assert/strict';
import { join } from 'node:path';
import { answerFor } from '../../emulator/text.ts';
import { type Browser, startBrowser } from '../../vscode/browser.ts';
import { demoKey, demoProject, type Sample, startSample } from '../../vscode/sample.ts';
import { Workbench } from '../../vscode/workbench.ts';
import { statusId } from '../service.ts';
import { nightly } from '../session.ts';

/** Maximum number of actions from the click on the status item to the generated text. */
const MOST_ACTIONS = 9;

/** Counts actions: clicks, key presses, and input events in the window. */
const countInputs = `(() => {
  globalThis.inputs = 0;
  for (const event of ['pointerdown', 'keydown', 'input']) {
    addEventListener(event, () => { globalThis.inputs += 1; }, true);
  }
})()`;

describe(`a new user ${nightly}`, () => {
  let sample: Sample;
  let browser: Browser;
  before(async () => {
    [sample, browser] = await Promise.all([startSample(), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await sample.stop();
  });

  it(`gets a response after at most ${MOST_ACTIONS} actions, starting at the status item`, async () => {
    const workbench = new Workbench(await browser.newPage(), sample.server);
    const { editor, notifications, quickInput, screen } = workbench;
    const status = workbench.statusItem(statusId);
    await workbench.open();
    await workbench.openFile(join(sample.folder, 'letter.md'));
    await editor.selectLines(3);
    await status.waitFor({ text: '$(key) Set Up Hosted Model' });
    await screen.read(countInputs);
    const inputs = () => screen.read<number>('globalThis.inputs');
    const picture = async (of: string) =>
      workbench.screenshot(`first-minute-${await inputs()}-${of}`);

    await picture('installed');
    await status.click();
    // Moves the pointer away, because the tooltip under it would cover the next message.
    await workbench.page.mouse.move(1, 1);
    await quickInput.waitFor({ step: '1/5' });
    await picture('service');
    await quickInput.accept();
    await quickInput.waitFor({ step: '2/5', password: true });
    await picture('key');
    await quickInput.type(demoKey);
    await quickInput.accept();
    await quickInput.waitFor({ step: '3/5' });
    await picture('project');
    await quickInput.type(demoProject);
    await quickInput.accept();
    await quickInput.waitFor({ step: '4/5' });
    await picture('region');
    await quickInput.accept();
    await quickInput.waitFor({ step: '5/5' });
    await picture('hosts');
    await quickInput.accept();
    await notifications.waitFor(/is set up/);
    await picture('set-up');
    await notifications.click(/is set up/, 'Generate from selection');
    const prompt = 'Write a short, friendly reply to a customer whose parcel is late.';
    await editor.waitForText(new RegExp(`${prompt}\n${answerFor(prompt).split('\n')[0]}`));
    await status.waitFor({ text: /^\$\(key\) \d+m$/ });
    await picture('generated');

    const counted = await inputs();
    console.log(`      inputs from the status item to generated text: ${counted}`);
    assert.ok(counted <= MOST_ACTIONS, `${counted} actions`);
  });
});
