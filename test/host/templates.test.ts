import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  CompletionItemKind,
  type CompletionList,
  commands,
  type Diagnostic,
  DiagnosticSeverity,
  extensions,
  FileType,
  languages,
  Position,
  Range,
  SnippetString,
  type TextDocument,
  Uri,
  window,
  workspace,
} from 'vscode';
import { readSettings } from '../../src/config/settings.ts';
import { insertModes } from '../../src/editor/insertModes.ts';
import { builtInTemplates } from '../../src/templates/builtIn.ts';
import { isBroken } from '../../src/templates/template.ts';
import { askInputs, pickTemplate, showIssue } from '../../src/templates/templatePicker.ts';
import { readTemplates } from '../../src/templates/templateSources.ts';
import { extensionId } from '../extensionId.ts';
import { settingsIn } from '../settingsIn.ts';
import { closeTabs } from './jobs.ts';

const folder = workspace.workspaceFolders?.[0] ?? assert.fail();
const TEMPLATES = '.hosted-model/templates';
const path = (name: string) => join(folder.uri.fsPath, TEMPLATES, name);
const modes = insertModes.map(({ id }) => id);
const scope = () => ({ ...readSettings(folder.uri), folder, insertModes: modes });
const write = (name: string, content: string | Uint8Array) => {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), content);
};
const elsewhere = join(folder.uri.fsPath, 'elsewhere');
const clean = () =>
  rmSync(join(folder.uri.fsPath, '.hosted-model'), { recursive: true, force: true });

interface InsertModeSetting {
  readonly enum?: readonly string[];
  readonly items?: { readonly properties: Readonly<Record<string, InsertModeSetting>> };
}

describe('templates in a real editor', () => {
  const builtIn = builtInTemplates.length;
  before(async () => {
    await closeTabs();
    clean();
  });
  afterEach(async () => {
    await closeTabs();
    rmSync(elsewhere, { recursive: true, force: true });
    clean();
  });

  it('include only the built-in ones by default', async () => {
    const entries = await readTemplates(scope());
    assert.equal(entries.length, builtIn);
    assert.deepEqual([...new Set(entries.map(({ origin }) => origin))], ['built-in']);
  });

  it('are read from settings and files, and files take precedence', async () => {
    await setTemplates([
      { name: 'explain', prompt: 'Of the settings' },
      { name: 'Mine', prompt: 'Mine' },
    ]);
    write('a.md', '---\nname: Explain\nlanguages: python\n---\nOf the file');
    write('b.md', '\ufeff---\r\ninsertMode: preview\r\n---\r\nb\r\nc\r\n');
    write('notes.txt', 'no template');
    const entries = await readTemplates(scope()).finally(() => setTemplates(undefined));
    assert.equal(entries.length, builtIn + 2);
    assert.deepEqual(entries.slice(-3), [
      { name: 'Mine', prompt: 'Mine', origin: 'user settings' },
      {
        name: 'Explain',
        prompt: 'Of the file',
        languages: ['python'],
        origin: `${TEMPLATES}/a.md`,
        hides: 'user',
      },
      { name: 'b', prompt: 'b\nc', insertMode: 'preview', origin: `${TEMPLATES}/b.md` },
    ]);
  });

  it('are combined from user and workspace settings, and each keeps its origin @nightly', async () => {
    const configuration = workspace.getConfiguration('hostedModel');
    const named = (name: string) => ({ name, prompt: name });
    await setTemplates(['Mine', 'Review'].map(named));
    await configuration.update('templates', ['Theirs', 'review'].map(named), false);
    try {
      const entries = (await readTemplates(scope())).slice(builtIn);
      assert.deepEqual(
        entries.map(({ name, origin, hides }) => [name, origin, hides]),
        [
          ['Mine', 'user settings', undefined],
          ['Theirs', 'workspace settings', undefined],
          ['review', 'workspace settings', 'user'],
        ],
      );
    } finally {
      await configuration.update('templates', undefined, false);
      await setTemplates(undefined);
    }
  });

  it('can use every insert mode that the setting offers', () => {
    const extension = extensions.getExtension(extensionId) ?? assert.fail();
    const settings = settingsIn<InsertModeSetting>(extension.packageJSON);
    const { items } = settings['hostedModel.templates'] ?? {};
    assert.deepEqual(settings['hostedModel.insertMode']?.enum, modes);
    assert.deepEqual(items?.properties['insertMode']?.enum, modes);
  });

  it('are listed with their problems if they are broken', async () => {
    write('good.md', 'Good.');
    write('binary.md', new Uint8Array([0xff, 0xfe, 0x00]));
    write('null.md', 'a\0b');
    write('huge.md', '');
    truncateSync(path('huge.md'), 5_000_000_000);
    write('bomb.md', `---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\nBoom.`);
    write('a\u202eb.md', 'Turned around.');
    write('long.md', `${'x'.repeat(65_537)}`);
    write('variable.md', `\${nothing}`);
    mkdirSync(path('folder.md'));
    symlinkSync('/etc/hostname', path('link.md'));
    symlinkSync('gone', path('dangling.md'));
    const entries = await readTemplates(scope());
    const issues = entries.flatMap((entry) =>
      isBroken(entry) ? [[entry.name, entry.issue.kind]] : [],
    );
    assert.deepEqual(Object.fromEntries(issues), {
      'a?b': 'bad-name',
      binary: 'not-text',
      bomb: 'bad-front-matter',
      dangling: 'link',
      folder: 'not-a-file',
      huge: 'too-large',
      link: 'link',
      long: 'too-large',
      null: 'not-text',
      variable: 'unknown-variable',
    });
    assert.equal(entries.length, builtIn + 10 + 1);
  });

  it("aren't filled in if the user closes an input box @nightly", async () => {
    write('a.md', `\${input:Who?}`);
    const entries = await readTemplates(scope());
    const picking = pickTemplate(entries, {
      languageId: 'go',
      lastUsed: ['A'],
      hasSelection: true,
    });
    const picked = await pressUntil('workbench.action.acceptSelectedQuickOpenItem', picking);
    assert.equal(picked?.origin, `${TEMPLATES}/a.md`);
    const given = await pressUntil(
      'workbench.action.closeQuickOpen',
      askInputs(picked ?? assert.fail()),
    );
    assert.equal(given, undefined);
  });

  it('are limited to 200 files per folder, and excess files are reported @nightly', async () => {
    for (let index = 1_000; index < 1_203; index += 1) write(`t${index}.md`, 'x');
    const entries = await readTemplates(scope());
    assert.equal(entries.length, builtIn + 200 + 1);
    const last = entries.at(-1) ?? assert.fail();
    assert.ok(isBroken(last));
    assert.equal(last.issue.kind, 'too-many-files');
  });

  it('are read from a folder in a virtual file system', async () => {
    const content = new TextEncoder().encode('---\nname: Remote\n---\nFrom afar.');
    const never = () => assert.fail('written to');
    const remote = workspace.registerFileSystemProvider('remote-templates', {
      onDidChangeFile: () => ({ dispose: () => {} }),
      watch: () => ({ dispose: () => {} }),
      stat: ({ path }) => {
        const type = path.endsWith('.md') ? FileType.File : FileType.Directory;
        return { type, ctime: 0, mtime: 0, size: content.length };
      },
      readDirectory: () => [['far.md', FileType.File]],
      readFile: () => content,
      createDirectory: never,
      writeFile: never,
      delete: never,
      rename: never,
    });
    try {
      const uri = Uri.parse('remote-templates:/project');
      const entries = await readTemplates({ ...scope(), folder: { uri, name: 'x', index: 0 } });
      assert.deepEqual(entries.slice(builtIn), [
        { name: 'Remote', prompt: 'From afar.', origin: `${TEMPLATES}/far.md` },
      ]);
    } finally {
      remote.dispose();
    }
  });

  it("aren't read from a folder that is a symbolic link", async () => {
    mkdirSync(join(elsewhere, 'templates'), { recursive: true });
    writeFileSync(join(elsewhere, 'templates', 'x.md'), 'x');
    for (const [link, target] of [
      ['.hosted-model', elsewhere],
      [TEMPLATES, join(elsewhere, 'templates')],
    ] as const) {
      clean();
      mkdirSync(join(folder.uri.fsPath, dirname(link)), { recursive: true });
      symlinkSync(target, join(folder.uri.fsPath, link));
      const [entry, ...others] = (await readTemplates(scope())).slice(builtIn);
      assert.ok(entry && isBroken(entry) && others.length === 0);
      assert.equal(entry.issue.kind, 'link');
    }
    assert.equal((await readTemplates({ ...scope(), folder: null })).length, builtIn);
  });

  describe('from files', () => {
    it('get a diagnostic for each mistake while they are open', async () => {
      const text = `---\nnmae: x\ninsertMode: replcae\nmodel: 4\n---\nTo \${input:Whom?}: \${selecton}`;
      write('flaws.md', text.replaceAll('\n', '\r\n'));
      const uri = Uri.file(path('flaws.md'));
      // Opens the document with a command, because a document that the API opens stays in memory
      // for minutes.
      await commands.executeCommand('vscode.open', uri);
      await until({ uri }, (all) => all.length === 4);
      const document = window.activeTextEditor?.document ?? assert.fail();
      assert.deepEqual(ours(document).map(brief(document)), [
        ['unknown-key', DiagnosticSeverity.Warning, 1, 'nmae'],
        ['unknown-insert-mode', DiagnosticSeverity.Error, 2, 'replcae'],
        ['wrong-type', DiagnosticSeverity.Error, 3, '4'],
        ['unknown-variable', DiagnosticSeverity.Error, 5, `\${selecton}`],
      ]);
      await replaceAll(document, '---\nname: "x\n---\nText');
      await until(document, (all) => all.length === 1 && all[0]?.code === 'bad-front-matter');
      await replaceAll(document, 'Text');
      await until(document, (all) => all.length === 0);
      await replaceAll(document, `\${x}`);
      await until(document, (all) => all.length === 1);
      await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      await until({ uri }, (all) => all.length === 0);
    });

    it('get completions for variables, front matter keys, and insert modes', async () => {
      const document = await openWith('typed.md', `---\n\ninsertMode: \n---\nExplain \${sel}`);
      const labels = async (line: number, character: number) =>
        (await completionsAt(document, new Position(line, character))).map(labelOf);
      assert.deepEqual(await labels(1, 0), [
        'name',
        'responseLanguage',
        'model',
        'languages',
        'parameters',
      ]);
      assert.deepEqual(await labels(2, 12), modes);
      const found = await completionsAt(document, new Position(4, 13));
      assert.deepEqual(found.map(labelOf), ['selection', 'language', 'fileName', 'input:question']);
      const [selection] = found;
      assert.equal(selection?.insertText, 'selection}');
      assert.ok(selection?.range instanceof Range);
      assert.equal(document.getText(selection.range), 'sel}');
      assert.ok(found[3]?.insertText instanceof SnippetString);
    });

    it('get diagnostics and completions only if they are directly in the templates folder @nightly', async () => {
      const bad = `---\nnmae: x\n---\n\${x} \${`;
      const other = await openWith('../notes.md', bad);
      const inner = await openWith('inner/x.md', bad);
      const good = await openWith('x.md', bad);
      await until(good, (all) => all.length > 0);
      for (const document of [other, inner]) {
        assert.deepEqual(ours(document), []);
        const found = await completionsAt(document, new Position(3, 2));
        assert.ok(!found.map(labelOf).includes('selection'));
      }
    });

    it('open with the error selected if they are broken @nightly', async () => {
      write('broken.md', `---\nname: Broken\n---\nSay \${this}.`);
      const entry = (await readTemplates(scope())).find(({ name }) => name === 'Broken');
      assert.ok(entry && isBroken(entry));
      await showIssue(entry);
      const editor = window.activeTextEditor ?? assert.fail();
      assert.equal(editor.document.getText(editor.selection), `\${this}`);
    });

    it("aren't opened if they are symbolic links", async () => {
      write('target.txt', 'target');
      symlinkSync(path('target.txt'), path('link.md'));
      const entry = (await readTemplates(scope())).find(({ name }) => name === 'link');
      assert.ok(entry && isBroken(entry));
      await pressUntil('notifications.clearAll', showIssue(entry));
      assert.equal(window.activeTextEditor, undefined);
    });
  });
});

async function setTemplates(value: unknown): Promise<void> {
  await workspace.getConfiguration('hostedModel').update('templates', value, true);
}

async function openWith(name: string, text: string): Promise<TextDocument> {
  write(name, text);
  const uri = Uri.file(path(name));
  const { document } = await window.showTextDocument(uri);
  if (document.getText() !== text) await commands.executeCommand('workbench.action.files.revert');
  return document;
}

async function replaceAll(document: TextDocument, text: string): Promise<void> {
  const editor = await window.showTextDocument(document);
  const all = new Range(new Position(0, 0), document.lineAt(document.lineCount - 1).range.end);
  while (!(await editor.edit((builder) => builder.replace(all, text)))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

type Addressed = Pick<TextDocument, 'uri'>;
const ours = ({ uri }: Addressed) =>
  languages.getDiagnostics(uri).filter(({ source }) => source === 'Hosted Model');

const brief =
  (document: TextDocument) =>
  ({ code, severity, range }: Diagnostic) => [
    code,
    severity,
    range.start.line,
    document.getText(range),
  ];

async function until(
  document: Addressed,
  holds: (all: readonly Diagnostic[]) => boolean,
): Promise<void> {
  if (holds(ours(document))) return;
  await new Promise<void>((resolve) => {
    const listener = languages.onDidChangeDiagnostics(() => {
      if (!holds(ours(document))) return;
      listener.dispose();
      resolve();
    });
  });
}

const OUR_KINDS: readonly CompletionItemKind[] = [
  CompletionItemKind.Variable,
  CompletionItemKind.Property,
  CompletionItemKind.EnumMember,
];

async function completionsAt({ uri }: TextDocument, position: Position) {
  const { items } = await commands.executeCommand<CompletionList>(
    'vscode.executeCompletionItemProvider',
    uri,
    position,
  );
  // Filters out the completions that other extensions offer for Markdown.
  return items.filter(({ kind }) => kind !== undefined && OUR_KINDS.includes(kind));
}

function labelOf({ label }: { label: string | { label: string } }): string {
  return typeof label === 'string' ? label : label.label;
}

/** Repeats a command, such as one that accepts the open input box, until `question` settles. */
async function pressUntil<Answer>(command: string, question: Promise<Answer>): Promise<Answer> {
  let isSettled = false;
  const settled = question.finally(() => {
    isSettled = true;
  });
  while (!isSettled) await commands.executeCommand(command);
  return settled;
}
