import assert from 'node:assert/strict';
import type { Emulator } from '../emulator/emulator.ts';
import { argumentKeys } from '../vscode/keybindings.ts';
import { chatPath, openWindow, startAfresh, startService, storeKey } from './service.ts';
import { nightly, type Session } from './session.ts';

const withTemplate = 'Hosted Model: Generate with Template...';
const title = 'Generate with Template';
const folder = '.hosted-model/templates';
const templates = [
  { name: 'Only Go', prompt: `Go only: \${selection}`, languages: ['go'] },
  {
    name: 'Own Ways',
    prompt: `Own ways: \${selection}`,
    insertMode: 'replace',
    model: 'ibm/granite-3-3-8b-instruct',
    parameters: { temperature: 0.25, max_new_tokens: 77 },
  },
];
const files = {
  [`${folder}/haiku.md`]: `---\nname: Haiku\ninsertMode: after\n---\nA haiku about \${selection}\n`,
  [`${folder}/typed.md`]: 'A haiku.\n',
  [`${folder}/broken.md`]: `---\nname: Broken\n---\nAbout the \${selecton}\n`,
};

describe(`templates ${nightly}`, () => {
  let emulator: Emulator;
  let session: Session;
  before(async () => {
    emulator = await startService();
    const names = ['rows', 'short', 'long', 'asks', 'file', 'own', 'keys', 'others'];
    const texts = names.map((name) => [`${name}.py`, '# Some text.\n']);
    session = await openWindow(emulator, {
      folderFiles: { ...files, ...Object.fromEntries(texts) },
      userSettings: { 'hostedModel.templates': templates },
    });
    await storeKey(session);
  });
  after(() => emulator.close());
  beforeEach(async () => {
    await startAfresh(emulator, session);
    emulator.settings.answer = () => 'Short.';
  });

  const select = async (name: string) => {
    await session.workbench.openFile(session.path(name));
    await session.workbench.editor.selectLines(1);
  };
  const pick = async (name: string) => {
    await session.workbench.runCommand(withTemplate);
    const { quickInput, screen } = session.workbench;
    await quickInput.waitFor({ title });
    await quickInput.type(name);
    await screen.until(`the template ${name} to be marked`, async () => {
      const marked = (await quickInput.state())?.items.find(({ focused }) => focused);
      return marked?.label.endsWith(name) ? true : undefined;
    });
    await quickInput.accept();
  };
  /**
   * Returns the labels of the rows that are visible at the start and end of the template list.
   */
  const rows = async () => {
    const { quickInput, page } = session.workbench;
    await session.workbench.runCommand(withTemplate);
    const { items } = await quickInput.waitFor({ title, item: 'Explain' });
    await page.keyboard.press('ArrowUp');
    const end = await quickInput.waitFor({ item: 'Only Go' });
    await session.workbench.screenshot('templates');
    await quickInput.dismiss();
    await quickInput.waitUntilClosed();
    return [...items, ...end.items].map(({ label }) => label);
  };
  const sent = async () =>
    (await emulator.requestCount(chatPath, 1)).json as Record<string, unknown>;
  const promptSent = async () => {
    const { messages } = (await sent()) as { messages: { content: string }[] };
    return messages[0]?.content ?? '';
  };

  it('are listed with the most recently used template first and broken templates last', async () => {
    const { editor } = session.workbench;
    await select('rows.py');
    await pick('Summarize');
    await editor.waitForText('# Some text.\nShort.\n');
    const labels = await rows();
    assert.equal(labels[0], 'Summarize');
    assert.ok(labels.indexOf('Own Ways') < labels.indexOf('Explain'));
    assert.ok(labels.indexOf('Only Go') > labels.indexOf('Rewrite'));
    assert.equal(labels.at(-1), '$(warning) Broken');
    assert.match(await promptSent(), /^Summarize the following(.|\n)*# Some text\.$/);
  });

  it('can insert an explanation of the selected code into a new document', async () => {
    const { editor } = session.workbench;
    await select('long.py');
    await pick('Explain');
    await editor.waitFor(/Untitled/);
    await editor.waitForText('Short.');
    assert.match(
      await promptSent(),
      /language \(python\).*this file \(long\.py\)(.|\n)*# Some text\.$/,
    );
  });

  it('ask the user for input before anything is sent', async () => {
    const { editor, quickInput } = session.workbench;
    await select('asks.py');
    await pick('Translate');
    await quickInput.waitFor({ title: 'Translate', prompt: 'Translate into which language?' });
    assert.equal(emulator.count(chatPath), 0);
    await quickInput.type('Klingon');
    await quickInput.accept();
    await editor.waitForText('Short.\n');
    assert.match(await promptSent(), /^Translate the following into Klingon\./);
  });

  it('are read from Markdown files in a trusted folder', async () => {
    const { editor } = session.workbench;
    await select('file.py');
    await pick('Haiku');
    await editor.waitForText('# Some text.Short.\n');
    assert.equal(await promptSent(), 'A haiku about # Some text.');
  });

  it('can set an insert mode, a model, and parameters', async () => {
    const { editor } = session.workbench;
    await select('own.py');
    await pick('Own Ways');
    await editor.waitForText('Short.\n');
    const body = await sent();
    assert.equal(body['model_id'], templates[1]?.model);
    assert.equal(body['temperature'], 0.25);
    assert.equal(body['max_completion_tokens'], 77);
  });

  it('run from a keybinding unless it names an unknown template or insert mode', async () => {
    const { editor, notifications, page } = session.workbench;
    await select('keys.py');
    await page.keyboard.press(argumentKeys.unknownTemplate.key);
    await notifications.waitFor(/There’s no template named “No Such Template” for this document/);
    await page.keyboard.press(argumentKeys.unknownMode.key);
    await notifications.waitFor(/There’s no insert mode named “sideways”/);
    assert.equal(emulator.count(chatPath), 0);
    await page.keyboard.press(argumentKeys.template.key);
    await editor.waitForText('Short.\n');
    assert.equal(await promptSent(), 'Own ways: # Some text.');
  });

  it("aren't used by a keybinding that has only unknown arguments", async () => {
    const { editor, page } = session.workbench;
    await select('others.py');
    await page.keyboard.press(argumentKeys.others.key);
    await editor.waitForText('# Some text.\nShort.\n');
    assert.equal(await promptSent(), '# Some text.');
  });

  it('open with the error selected and explained if they are broken', async () => {
    const { editor, page, screen } = session.workbench;
    await select('short.py');
    await pick('Broken');
    await editor.waitFor('broken.md');
    await editor.waitForPosition('Ln 4, Col 22 (11 selected)');
    await page.waitForSelector('.editor-group-container.active .squiggly-error');
    await page.keyboard.press('F8');
    const message = '.marker-widget .message';
    await page.waitForSelector(message);
    const shown = await screen.read<string>(`document.querySelector('${message}').innerText`);
    assert.match(shown, /^The variable selecton is unknown\. Use \$\{selection\}, /);
    assert.equal(emulator.count(chatPath), 0);
  });

  it('offer completions for variables as the user types', async () => {
    const { editor, page } = session.workbench;
    await session.workbench.openFile(session.path(`${folder}/typed.md`));
    await editor.placeCursor(1, 1);
    await editor.type(`\${`);
    const row = '.suggest-widget.visible .monaco-list-row .label-name';
    await page.waitForSelector(row);
    assert.deepEqual(await page.locator(row).allInnerTexts(), [
      'selection',
      'language',
      'fileName',
      'input:question',
    ]);
    await page.keyboard.press('Enter');
    await editor.waitForText(`\${selection}A haiku.\n`);
  });

  it('from a folder are hidden in Restricted Mode', async () => {
    session = await openWindow(emulator, {
      trust: 'restricted',
      folderFiles: { ...files, 'a.py': '# Some text.\n' },
      userSettings: { 'hostedModel.templates': templates },
    });
    await select('a.py');
    const labels = await rows();
    assert.ok(labels.includes('Own Ways'));
    assert.ok(!labels.some((label) => /Haiku|typed|Broken/.test(label)), labels.join());
  });
});
