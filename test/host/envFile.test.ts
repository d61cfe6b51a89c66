import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CodeAction,
  CodeActionKind,
  commands,
  type Diagnostic,
  DiagnosticSeverity,
  extensions,
  languages,
  Position,
  Range,
  type TextDocument,
  Uri,
  window,
  workspace,
} from 'vscode';
import { parseEnvText, problemsOf } from '../../src/envFile/problems.ts';
import { services } from '../../src/service/builtInServices.ts';
import { extensionId } from '../extensionId.ts';
import { until as becomes } from '../vscode/deadline.ts';
import { closeTabs } from './jobs.ts';

const folder = workspace.workspaceFolders?.[0]?.uri ?? Uri.file('/nowhere');
const uri = Uri.joinPath(folder, '.env');
const path = (name: string) => join(folder.path, name);
const git = (...given: string[]) => execFileSync('git', given, { cwd: folder.path });
const key = 'IBM_API_KEY=key-of-the-host-tests';
const rest = ['IBM_PROJECT_ID=project-1', 'IBM_URL=https://eu-de.ml.cloud.ibm.com'];
const good = [key, ...rest, ''].join('\n');

describe('the .env file in a real editor', () => {
  before(async () => {
    await closeTabs();
    await extensions.getExtension(extensionId)?.activate();
  });
  after(() => rmSync(path('.env'), { force: true }));

  // This test runs first, because VS Code keeps a document in memory for minutes after an extension
  // has opened it.
  it('shows problems as the user types, and clears them when the file is closed', async () => {
    writeFileSync(path('.env'), good);
    await commands.executeCommand('vscode.open', uri);
    const document = await opened();
    await type(document, '"', new Position(0, 'IBM_API_KEY='.length));
    await diagnosticOf('quotes');
    await commands.executeCommand('undo');
    await until((all) => all.length === 0);
    await commands.executeCommand('redo');
    await diagnosticOf('quotes');
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await until((all) => all.length === 0);
  });

  describe('while it is being edited', () => {
    after(closeTabs);

    /**
     * Flawed replacements for a line in `good`. Each is listed with the problem that it causes, the
     * fix for the problem, and the fixed line.
     */
    const flaws: readonly [
      kind: string,
      line: 0 | 1 | 2,
      text: string,
      severity: DiagnosticSeverity,
      fix: string,
      becomes: string | undefined,
    ][] = [
      [
        'quotes',
        0,
        'IBM_API_KEY="abcd1234"',
        DiagnosticSeverity.Error,
        'Clean Up Value',
        'IBM_API_KEY=abcd1234',
      ],
      ['placeholder', 0, 'IBM_API_KEY=<API_KEY>', DiagnosticSeverity.Error, 'Set Up...', undefined],
      [
        'comment',
        1,
        `${rest[0]} # ours`,
        DiagnosticSeverity.Error,
        'Move Comment to Its Own Line',
        `# ours\n${rest[0]}`,
      ],
      ['url-path', 2, `${rest[1]}/gateway`, DiagnosticSeverity.Warning, 'Remove Path', rest[1]],
    ];
    for (const [kind, line, written, severity, fix, becomes] of flaws) {
      const nightly = kind === 'url-path' ? ' @nightly' : '';
      it(`shows the problem “${kind}” in ${JSON.stringify(written)}, with the fix “${fix}”${nightly}`, async () => {
        const before = [key, ...rest, ''].with(line, written).join('\n');
        const document = await openWith(before);
        const found = await diagnosticOf(kind);
        const text = parseEnvText(before, services[0] ?? assert.fail());
        const problem = problemsOf(text).find((one) => one.kind === kind);
        assert.equal(found.message, problem?.message);
        assert.deepEqual(
          [found.range.start.line, found.range.end.line, found.severity, found.source],
          [line, line, severity, 'Hosted Model'],
        );
        const action = await actionAt(found.range, fix);
        if (becomes === undefined) {
          assert.equal(action.command?.command, 'hostedModel.setUp');
          assert.equal(action.command?.arguments, undefined);
          return;
        }
        await apply(action);
        assert.equal(document.getText(), [key, ...rest, ''].with(line, becomes).join('\n'));
        await until((all) => !all.some(({ code }) => code === kind));
      });
    }

    it('has quick fixes to remove either conflicting line, but no preferred fix', async () => {
      const other = 'IBM_URL=https://eu-gb.ml.cloud.ibm.com';
      for (const [title, becomes] of [
        ['Remove This Line', good],
        ['Remove Line 3', good.replace(rest[1] ?? '', other).slice(0, -1)],
      ] as const) {
        const document = await openWith(`${good}${other}`);
        const { range } = await diagnosticOf('duplicate');
        assert.equal(range.start.line, 3);
        const action = await actionAt(range, title);
        assert.notEqual(action.isPreferred, true);
        await apply(action);
        assert.equal(document.getText(), becomes);
        await until((all) => all.length === 0);
      }
      await openWith(`${good}${rest[1]}`);
      await until((all) => all.length === 0);
    });

    it('offers the Fix All Problems action only for problems, never on save', async () => {
      const text = `# mine\n${good.replaceAll(/=(.*)$/gm, '="$1" # of $1')}`;
      const document = await openWith(text.replaceAll('\n', '\r\n'));
      const { range } = await diagnosticOf('quotes');
      const away = await actionsAt(new Range(0, 0, 0, 0));
      assert.deepEqual(away, []);
      const onSave = await commands.executeCommand<CodeAction[]>(
        'vscode.executeCodeActionProvider',
        document.uri,
        new Range(0, 0, document.lineCount, 0),
        CodeActionKind.SourceFixAll.value,
      );
      assert.deepEqual(onSave, []);
      await apply(await actionAt(range, 'Fix All Problems'));
      const commented = good.replaceAll(/^.*=(.*)$/gm, '# of $1\n$&');
      assert.equal(document.getText(), `# mine\n${commented}`.replaceAll('\n', '\r\n'));
    });

    it('has a quick fix that adds the missing lines with matching line endings', async () => {
      const document = await openWith('# mine\r\nexport IBM_API_KEY=abcd1234');
      const found = await diagnosticOf('incomplete');
      assert.equal(found.range.start.line, 1);
      assert.equal(found.severity, DiagnosticSeverity.Information);
      await apply(await actionAt(found.range, 'Add Missing Lines'));
      assert.equal(
        document.getText(),
        '# mine\r\nexport IBM_API_KEY=abcd1234\r\nIBM_PROJECT_ID=\r\nIBM_URL=\r\n',
      );
      await until((all) => !all.some(({ code }) => code === 'incomplete'));
      await diagnosticOf('empty');
    });
  });

  describe('on disk', () => {
    afterEach(async () => {
      await closeTabs();
      for (const name of ['.git', '.gitignore', '.env.local', 'inner', 'elsewhere']) {
        rmSync(path(name), { recursive: true, force: true });
      }
    });

    it('is checked for problems, unlike other files with the same text @nightly', async () => {
      const bad = good.replace('=', '=" ');
      mkdirSync(path('inner'));
      for (const name of ['.env.local', 'inner/.env', 'letter.txt']) {
        if (name !== 'letter.txt') writeFileSync(path(name), bad);
        const editor = await window.showTextDocument(Uri.joinPath(folder, name));
        const all = new Range(0, 0, editor.document.lineCount, 0);
        while (!(await editor.edit((builder) => builder.replace(all, bad)))) await turn();
      }
      const untitled = await workspace.openTextDocument({ content: bad });
      await window.showTextDocument(untitled);
      await openWith(bad);
      await diagnosticOf('quotes');
      const others = languages
        .getDiagnostics()
        .filter(([other]) => other.toString() !== uri.toString());
      assert.deepEqual(
        others.flatMap(([, all]) => all.filter(isOurs)),
        [],
      );
      const inner = Uri.joinPath(folder, 'inner', '.env');
      assert.deepEqual(await titlesAt(new Range(0, 0, 0, 1), inner), []);
      await openWith(good);
      await until((all) => all.length === 0);
    });

    /**
     * Saves a `.env` file that Git doesn't ignore. Returns its document and the reported problem.
     */
    async function notIgnored() {
      git('init', '--quiet');
      const document = await openWith([rest[1], rest[0], key, ''].join('\n'));
      await document.save();
      const found = await becomes('the hint at the key', 60_000, async () =>
        ours().find(({ code, range }) => code === 'not-ignored' && range.start.line === 2),
      );
      return { document, found };
    }

    const fix = 'Add .env to .gitignore';

    it("gets a warning and a quick fix that adds the file to .gitignore if Git doesn't ignore it", async () => {
      const { document, found } = await notIgnored();
      assert.equal(found.severity, DiagnosticSeverity.Warning);
      await actionAt(found.range, fix);
      assert.equal(existsSync(path('.gitignore')), false, 'nothing is written before the fix');
      await window.showTextDocument(document, { selection: found.range });
      // Runs the editor's command, because a code action from the API doesn't include files that
      // its edit creates. The test repeats the command, which does nothing until the editor has
      // received the diagnostic.
      const apply = async () => {
        const preferred = { kind: 'quickfix', apply: 'first', preferred: true };
        await commands.executeCommand('editor.action.codeAction', preferred);
        const isThere = () => (existsSync(path('.gitignore')) ? true : undefined);
        return becomes('the rules', 5_000, isThere).catch(() => undefined);
      };
      await becomes('the rules', 60_000, apply);
      await becomes('no hint', 60_000, async () => (ours().length === 0 ? true : undefined));
      assert.equal(readFileSync(path('.gitignore'), 'utf8'), '.env\n');
    });

    it('is added to an open .gitignore as an unsaved change @nightly', async () => {
      const { found } = await notIgnored();
      writeFileSync(path('.gitignore'), 'node_modules');
      const document = await workspace.openTextDocument(Uri.joinPath(folder, '.gitignore'));
      await type(document, '# mine\n');
      const action = await actionAt(found.range, fix);
      assert.equal(action.isPreferred, true);
      await apply(action);
      assert.equal(document.getText(), '# mine\nnode_modules\n.env\n');
      assert.equal(readFileSync(path('.gitignore'), 'utf8'), 'node_modules');
      const { command, arguments: given = [] } = action.command ?? assert.fail();
      await commands.executeCommand(command, ...given);
      assert.equal(window.activeTextEditor?.document, document);
      await document.save();
      await becomes('no hint', 60_000, async () => (ours().length === 0 ? true : undefined));
    });

    it("doesn't get a warning if .gitignore or .git/info/exclude lists it @nightly", async () => {
      const { document } = await notIgnored();
      writeFileSync(path('.gitignore'), '.env');
      await until((all) => all.length === 0);
      rmSync(path('.gitignore'));
      await diagnosticOf('not-ignored');
      writeFileSync(join(path('.git'), 'info', 'exclude'), '.env\n');
      await type(document, '# another line\n');
      await document.save();
      await until((all) => all.length === 0);
    });

    it('gets a warning without a fix if .gitignore is a symbolic link @nightly', async () => {
      for (const target of ['elsewhere', 'nowhere']) {
        writeFileSync(path('elsewhere'), 'mine\n');
        symlinkSync(target, path('.gitignore'));
        const { found } = await notIgnored();
        assert.deepEqual(await titlesAt(found.range), [], target);
        rmSync(path('.gitignore'));
      }
    });

    it('gets a warning without a fix if .gitignore is larger than 1 MiB @nightly', async () => {
      const { found } = await notIgnored();
      for (const [size, titles] of [
        [1024 * 1024, [fix]],
        [1024 * 1024 + 1, []],
      ] as const) {
        writeFileSync(path('.gitignore'), '#'.repeat(size));
        assert.deepEqual(await titlesAt(found.range), titles, `${size} bytes`);
      }
    });

    it('gets a warning if Git tracks it, even if .gitignore lists it @nightly', async () => {
      git('init', '--quiet');
      writeFileSync(path('.env'), good);
      git('add', '.env');
      writeFileSync(path('.gitignore'), '.env\n');
      const document = await openWith(good);
      await document.save();
      // Also checks the line, because the first diagnostic can still be about an earlier test's
      // text.
      const isHere = ({ code, range }: Diagnostic) => code === 'tracked' && range.start.line === 0;
      await until((all) => all.some(isHere));
      const { range } = ours().find(isHere) ?? assert.fail();
      assert.ok(!(await titlesAt(range)).includes('Add .env to .gitignore'));
    });
  });
});

/** Opens the `.env` file, and replaces its text without saving the file. */
async function openWith(text: string): Promise<TextDocument> {
  if (!existsSync(path('.env'))) writeFileSync(path('.env'), '');
  const editor = await window.showTextDocument(uri);
  const { document } = editor;
  for (let done = false; !done; ) {
    const all = new Range(new Position(0, 0), document.lineAt(document.lineCount - 1).range.end);
    done = await editor.edit((builder) => {
      builder.replace(all, text);
      builder.setEndOfLine(text.includes('\r') ? 2 : 1);
    });
  }
  return document;
}

async function opened(): Promise<TextDocument> {
  for (;;) {
    const document = window.activeTextEditor?.document;
    if (document?.uri.toString() === uri.toString()) return document;
    await new Promise<void>((resolve) => {
      const listener = window.onDidChangeActiveTextEditor(() => {
        listener.dispose();
        resolve();
      });
    });
  }
}

async function type(document: TextDocument, text: string, at = new Position(0, 0)): Promise<void> {
  const editor = await window.showTextDocument(document);
  while (!(await editor.edit((builder) => builder.insert(at, text)))) await turn();
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const isOurs = ({ source }: Diagnostic) => source === 'Hosted Model';
const ours = () => languages.getDiagnostics(uri).filter(isOurs);

async function until(holds: (all: readonly Diagnostic[]) => boolean): Promise<void> {
  if (holds(ours())) return;
  await new Promise<void>((resolve) => {
    const listener = languages.onDidChangeDiagnostics(() => {
      if (!holds(ours())) return;
      listener.dispose();
      resolve();
    });
  });
}

async function diagnosticOf(kind: string): Promise<Diagnostic> {
  await until((all) => all.some(({ code }) => code === kind));
  return ours().find(({ code }) => code === kind) ?? assert.fail();
}

async function actionsAt(range: Range, of = uri): Promise<CodeAction[]> {
  const kind = CodeActionKind.QuickFix.value;
  const all = await commands.executeCommand<CodeAction[]>(
    'vscode.executeCodeActionProvider',
    of,
    range,
    kind,
  );
  return all.filter(({ edit, command }) => edit || command?.command.startsWith('hostedModel.'));
}

async function titlesAt(range: Range, of = uri): Promise<string[]> {
  return (await actionsAt(range, of)).map(({ title }) => title);
}

async function actionAt(range: Range, title: string): Promise<CodeAction> {
  // Polls, because VS Code may not have received the latest diagnostics yet.
  return becomes(`the quick fix “${title}”`, 60_000, async () =>
    (await actionsAt(range)).find((one) => one.title === title),
  );
}

async function apply({ edit }: CodeAction): Promise<void> {
  assert.ok(edit);
  assert.equal(await workspace.applyEdit(edit), true);
}
