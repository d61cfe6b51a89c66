import assert from 'node:assert/strict';
import {
  commands,
  env,
  Range,
  type TextDocument,
  type TextEditor,
  window,
  workspace,
} from 'vscode';
import { captureTargets } from '../../src/editor/capturedSelection.ts';
import type { ModeDeps } from '../../src/editor/insertMode.ts';
import { newDocument as newDocumentMode } from '../../src/editor/newDocumentMode.ts';
import { comment } from './addedMode.ts';
import { type ByPlacingMode, close, jobOn, open, openWith, stream, typeAt, until } from './jobs.ts';

const LINE = new Range(0, 0, 0, 4);

describe('insert modes:', () => {
  afterEach(close);

  const above: [title: string, text: string, selection: Range, want: string][] = [
    ['a line with tabs', 'if x:\n\t\ty', new Range(1, 2, 1, 3), 'if x:\n\t\tone\n\t\ttwo\n\t\ty'],
    ['the first line', 'text\nend', LINE, 'one\ntwo\ntext\nend'],
    ['several lines', 'a\n  b\nc', new Range(1, 2, 2, 1), 'a\n  one\n  two\n  b\nc'],
  ];
  for (const [index, [title, text, selection, want]] of above.entries()) {
    for (const lineEnd of ['\n', '\r\n']) {
      const nightly = index > 0 || lineEnd === '\n' ? ' @nightly' : '';
      it(`\`above\` inserts text before ${title} (line ending ${JSON.stringify(lineEnd)})${nightly}`, async () => {
        const before = text.replaceAll('\n', lineEnd);
        const editor = await open(before, selection);
        assert.equal(await stream(editor, 'above', ['on', 'e\ntw', 'o']), true);
        assert.equal(editor.document.getText(), want.replaceAll('\n', lineEnd));
        await commands.executeCommand('undo');
        assert.equal(editor.document.getText(), before);
      });
    }
  }

  for (const [where, cursor] of [
    ['in the indentation', 1],
    ['before the text', 2],
    ['within the text', 5],
    ['before trailing spaces', 9],
    ['at the end', 11],
  ] as const) {
    for (const [mode, want] of [
      ['below', '  // Note  \n  a\n  b'],
      ['above', '  a\n  b\n  // Note  '],
    ] as const) {
      it(`\`${mode}\` starts on a new line if the cursor is on a line with text (${where})`, async () => {
        const text = '{\n  // Note  \n}';
        const editor = await open(text, new Range(1, cursor, 1, cursor), 'javascript');
        assert.equal(await stream(editor, mode, ['a\n', 'b']), true);
        assert.equal(editor.document.getText(), `{\n${want}\n}`);
        await commands.executeCommand('undo');
        assert.equal(editor.document.getText(), text);
      });
    }
  }

  for (const [where, cursor, response, want] of [
    ['before the indentation', 0, ['  a\n', '    b'], '  a\n    b  // Note'],
    ['in the indentation', 1, ['  a\n', '    b'], '  a\n    b // Note'],
    ['within the text', 5, ['a\n', 'b'], '  // a\n  bNote'],
  ] as const) {
    for (const mode of ['after', 'replace'] as const) {
      it(`\`${mode}\` inserts a response at the cursor on a line with text (${where})`, async () => {
        const editor = await open('  // Note', new Range(0, cursor, 0, cursor), 'javascript');
        assert.equal(await stream(editor, mode, response), true);
        assert.equal(editor.document.getText(), want);
      });
    }
  }

  /**
   * Asserts that the mode turns `text` into `want` if the cursor is at `at`, and that the change can
   * be undone.
   */
  async function assertInserted(
    at: readonly [line: number, character: number],
    language: string,
    text: string,
    want: string,
    response: readonly string[] = ['one\n', 'two'],
    mode = 'below',
  ): Promise<void> {
    const editor = await open(text, new Range(...at, ...at), language);
    editor.options = { insertSpaces: true, indentSize: 2 };
    assert.equal(await stream(editor, mode, response), true);
    assert.equal(editor.document.getText(), want);
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), text);
  }

  for (const [where, language, text, line, want] of [
    [
      'within a block',
      'javascript',
      '{\r\n\ta();\r\n\r\n\tb();\r\n}',
      2,
      '{\r\n\ta();\r\n\tone\r\n\ttwo\r\n\tb();\r\n}',
    ],
    [
      'at the start of a block',
      'python',
      'def f():\n\n\n    return x',
      2,
      'def f():\n\n    one\n    two\n    return x',
    ],
    ['at the end of a block', 'javascript', '{\n  a();\n\n}', 2, '{\n  a();\n  one\n  two\n}'],
    ['before spaces', 'python', '    a\n  \n    b', 1, '    a\n    one\n    two  \n    b'],
    ['in an empty block', 'javascript', '  {\n\n  }', 1, '  {\n    one\n    two\n  }'],
    [
      'in an unfinished block',
      'python',
      'if x:\n    if y:\n\nz',
      2,
      'if x:\n    if y:\n      one\n      two\nz',
    ],
    ['below a comment', 'python', '# Note:\n', 1, '# Note:\none\ntwo'],
    [
      'above a name that starts with end',
      'python',
      'for x in y:\n    a\n\nend = 1',
      2,
      'for x in y:\n    a\none\ntwo\nend = 1',
    ],
    [
      'above else',
      'python',
      '    if x:\n        a\n\n    else:',
      2,
      '    if x:\n        a\n        one\n        two\n    else:',
    ],
    ['below a comment after code', 'python', 'def f():  # x\n', 1, 'def f():  # x\n  one\n  two'],
    ['below a comment without a space', 'python', '#Note:\n', 1, '#Note:\none\ntwo'],
    ['above a YAML list', 'yaml', 'a:\n\n- b', 1, 'a:\none\ntwo\n- b'],
    ['in a CSS rule', 'css', '#a {\n\n}', 1, '#a {\n  one\n  two\n}'],
    ['between prose and code', 'markdown', 'a\n\n    b', 1, 'a\none\ntwo\n    b'],
    [
      'between two blocks',
      'python',
      'def f():\n    a\n\ndef g():',
      2,
      'def f():\n    a\none\ntwo\ndef g():',
    ],
    ['at the end of the document', 'python', '  a\n', 1, '  a\none\ntwo'],
    ['between tabs and spaces', 'python', '\ta\n\n  b', 1, '\ta\none\ntwo\n  b'],
    ['in a diff', 'diff', ' a\n\n b', 1, ' a\none\ntwo\n b'],
  ] as const) {
    it(`a response on an empty line is indented like the surrounding block (${where})`, async () => {
      await assertInserted([line, 0], language, text, want);
    });
  }

  for (const [where, language, text, want] of [
    ['an unfinished block', 'python', '  def f():', '  def f():\n    one\n    two'],
    ['a block', 'javascript', '\tif (a) {\n\t\tb();', '\tif (a) {\n\t\tone\n\t\ttwo\n\t\tb();'],
    ['an empty block', 'javascript', 'if (a) {\n}', 'if (a) {\n  one\n  two\n}'],
    ['a block after braces', 'python', 'if a in {b}:\nc', 'if a in {b}:\n  one\n  two\nc'],
    ['a block above a label', 'c', 'if (a) {\nout:', 'if (a) {\n  one\n  two\nout:'],
    ['a comment with a brace', 'c', 'a(); // if {\n}', 'a(); // if {\none\ntwo\n}'],
    ['a YAML key in a list item', 'yaml', '- a:\n  b: 1', '- a:\n    one\n    two\n  b: 1'],
    ['a private method', 'javascript', 'async #a() {\n}', 'async #a() {\n  one\n  two\n}'],
    ['an empty switch', 'javascript', 'switch (a) {\n}', 'switch (a) {\n  one\n  two\n}'],
    ['a YAML key with spaces', 'yaml', '- a b:\n  c: 1', '- a b:\n    one\n    two\n  c: 1'],
    ['a YAML list in an item', 'yaml', '- a:\n  - b', '- a:\n  one\n  two\n  - b'],
    ['a namespace', 'cpp', 'namespace a {\nint x;', 'namespace a {\none\ntwo\nint x;'],
    [
      'a block indented with tabs',
      'javascript',
      '\tif (a) {\n\t}',
      '\tif (a) {\n\t\tone\n\t\ttwo\n\t}',
    ],
    ['a CSS rule', 'css', 'div #a {\n}', 'div #a {\n  one\n  two\n}'],
    ['a YAML list item', 'yaml', '- a:\n- b', '- a:\n    one\n    two\n- b'],
    ['a statement', 'javascript', '  a();\n}', '  a();\n  one\n  two\n}'],
    ['the end of a block', 'python', '  return x\ny', '  return x\n  one\n  two\ny'],
    ['a paragraph', 'markdown', 'Note:\n  a', 'Note:\none\ntwo\n  a'],
    ['a line of a diff', 'diff', '@@ {\n a', '@@ {\none\ntwo\n a'],
  ] as const) {
    it(`a response below the cursor's line is indented to match the block (${where})`, async () => {
      await assertInserted([0, text.split('\n')[0]?.length ?? 0], language, text, want);
    });
  }

  const step = 'a:\n  - b: 1\n    c: 2';
  const nested = 'a:\n  - b:\n      - c: 1';
  for (const [where, language, text, line, response, want] of [
    ['below an item', 'yaml', step, 2, '- d: 3\n  e: 4', `${step}\n  - d: 3\n    e: 4`],
    ['below an item with one key', 'yaml', '  - b: 1', 0, '- d: 3', '  - b: 1\n  - d: 3'],
    [
      'below a nested key',
      'yaml',
      `${step}\n    d:\n      e: 3`,
      4,
      '- f',
      `${step}\n    d:\n      e: 3\n  - f`,
    ],
    [
      'on an empty line',
      'yaml',
      `${step}\n\n`,
      4,
      '- d: 3\n  e: 4',
      `${step}\n\n  - d: 3\n    e: 4`,
    ],
    [
      'on an indented line',
      'yaml',
      `${step}\n    `,
      3,
      '- d: 3\n  e: 4',
      `${step}\n  - d: 3\n    e: 4`,
    ],
    [
      'indented like the prompt',
      'yaml',
      step,
      2,
      '    - d: 3\n      e: 4',
      `${step}\n  - d: 3\n    e: 4`,
    ],
    ['in a nested list', 'yaml', nested, 2, '- d: 3', `${nested}\n      - d: 3`],
    ['above an item', 'yaml', `${nested}\n\n  - e`, 3, '- d', `${nested}\n  - d\n  - e`],
    [
      'above an item, in a nested list',
      'yaml',
      `${nested}\n  - e`,
      2,
      '- d',
      `${nested}\n      - d\n  - e`,
    ],
    [
      'above an item, on an indented line',
      'yaml',
      `${nested}\n      \n  - e`,
      3,
      '- d',
      `${nested}\n      - d\n  - e`,
    ],
    ['below an indented comment', 'yaml', `${nested}\n  # d`, 3, '- d', `${nested}\n  # d\n  - d`],
    ['below a comment', 'yaml', `${step}\n# d`, 3, '- e: 3', `${step}\n# d\n  - e: 3`],
    ['below a hyphen', 'yaml', 'a:\n  -\n    b: 1', 2, '- c', 'a:\n  -\n    b: 1\n  - c'],
  ] as const) {
    it(`a YAML list item is indented like the item that it follows (${where})`, async () => {
      const at = [line, text.split('\n')[line]?.length ?? 0] as const;
      await assertInserted(at, language, text, want, [...response]);
    });
  }

  for (const [where, language, text, line, response, want] of [
    ['as the value of a key', 'yaml', '- b:', 0, '- c', '- b:\n    - c'],
    [
      'as the value of an anchored key',
      'yaml',
      '- b:\n    c: &d',
      1,
      '- e',
      '- b:\n    c: &d\n    - e',
    ],
    ['a document', 'yaml', `${step}\n`, 3, '---\na: 1', `${step}\n---\na: 1`],
    ['an option', 'yaml', '- a: >\n    b\n    --c', 2, '--d', '- a: >\n    b\n    --c\n    --d'],
    ['outside a list', 'yaml', 'a:\n  b: 1', 1, '- c', 'a:\n  b: 1\n  - c'],
    ['in another document', 'yaml', `${step}\n---\n`, 4, '- d', `${step}\n---\n- d`],
    ['in Pug', 'jade', 'ul\n  - a\n    li', 2, '- b', 'ul\n  - a\n    li\n    - b'],
    ['in prose', 'markdown', '- a\n  b', 1, '- c', '- a\n  b\n  - c'],
  ] as const) {
    it(`a response that starts with a hyphen is indented as usual (${where})`, async () => {
      const at = [line, text.split('\n')[line]?.length ?? 0] as const;
      await assertInserted(at, language, text, want, [...response]);
    });
  }

  for (const [where, options, want] of [
    ['tabs', { insertSpaces: false, tabSize: 4 }, 'a();\nif (b) {\n\tc();\n}'],
    ['four spaces', { insertSpaces: true, indentSize: 4 }, 'a();\nif (b) {\n    c();\n}'],
    [
      'three spaces, in a document with wider tabs',
      { insertSpaces: true, tabSize: 8, indentSize: 3 },
      'a();\nif (b) {\n   c();\n}',
    ],
  ] as const) {
    it(`a response indented with two spaces is converted to the document's indentation (${where})`, async () => {
      const editor = await open('a();', new Range(0, 0, 0, 4), 'javascript');
      editor.options = options;
      assert.equal(await stream(editor, 'below', ['if (b) {\n  c();\n}']), true);
      assert.equal(editor.document.getText(), want);
    });
  }

  for (const [what, range, want] of [
    ['a single line', new Range(1, 2, 1, 6), '{\n  if (b) {\n    c();\n  }\n  d();\n}'],
    ['whole lines', new Range(1, 0, 3, 0), '{\n  if (b) {\n      c();\n  }\n}'],
    ['parts of lines', new Range(1, 2, 2, 6), '{\n  if (b) {\n      c();\n  }\n}'],
  ] as const) {
    it(`four-space indentation becomes two spaces unless it might include the prompt's indentation (${what})`, async () => {
      const editor = await open('{\n  a();\n  d();\n}', range, 'javascript');
      editor.options = { insertSpaces: true, indentSize: 2 };
      assert.equal(await stream(editor, 'replace', ['if (b) {\n    c();\n}']), true);
      assert.equal(editor.document.getText(), want);
    });
  }

  for (const [cursor, want] of [
    [0, '{\n  b();\n  // a\n  one\n  two\n}'],
    [2, '{\n  b();\n  // a\n  one\n  two\n}'],
  ] as const) {
    it(`a response starts on a new line after newly typed text (column ${cursor})`, async () => {
      const text = `{\n  b();\n${' '.repeat(cursor)}\n}`;
      const editor = await open(text, new Range(2, cursor, 2, cursor), 'javascript');
      const job = jobOn(editor, 'below');
      await typeAt(editor.document, `b();\n${' '.repeat(cursor)}`, `${' '.repeat(2 - cursor)}// a`);
      job.append(0, 'one\ntwo');
      assert.equal(await job.end(0, 'ended'), true);
      job.dispose();
      assert.equal(editor.document.getText(), want);
    });
  }

  for (const [language, mode, text, response, want] of [
    ['yaml', 'below', 'a:\n  - b\n  - ', '- c: 1\n  d: 2', 'a:\n  - b\n  - c: 1\n    d: 2'],
    ['yaml', 'after', 'a:\n  - ', 'c: 1\nd: 2', 'a:\n  - c: 1\n    d: 2'],
    ['markdown', 'below', '- a\n- ', '- b\n- c', '- a\n- b\n- c'],
    ['markdown', 'after', '- a\n- ', '\n\nb\n- c', '- a\n- b\n- c'],
  ] as const) {
    it(`a response after a typed hyphen becomes part of the list (${language}, ${mode})`, async () => {
      const lines = text.split('\n');
      const at = [lines.length - 1, lines.at(-1)?.length ?? 0] as const;
      await assertInserted(at, language, text, want, [...response], mode);
    });
  }

  it("the indentation of a selected YAML list item isn't added twice", async () => {
    const text = '  a:\n    - b:\n        c: 1';
    const editor = await open(text, new Range(1, 4, 2, 12), 'yaml');
    assert.equal(await stream(editor, 'below', ['- d:\n        e: 2']), true);
    assert.equal(editor.document.getText(), `${text}\n    - d:\n        e: 2`);
  });

  for (const [where, language, text, cursor, want] of [
    ['in an empty document', 'javascript', 'f() {}', 5, 'f() {\n  one\n  two\n}'],
    ['in a block', 'javascript', '\tf({});', 4, '\tf({\n\t\tone\n\t\ttwo\n\t});'],
    ['with spaces', 'javascript', 'f() {  }', 6, 'f() {\n  one\n  two\n}'],
    ['in a string', 'javascript', 'f("{}");', 4, 'f("{}");\none\ntwo'],
    ['in a comment', 'javascript', '// {}', 4, '// {}\none\ntwo'],
    ['in a comment after code', 'python', 'a # {}', 5, 'a # {}\none\ntwo'],
    ['in a shell variable', 'shellscript', 'a=$' + '{}', 4, 'a=$' + '{}\none\ntwo'],
    ['in a macro', 'c', '#define A {}', 11, '#define A {}\none\ntwo'],
    ['in a private method', 'javascript', '#a() {}', 6, '#a() {\n  one\n  two\n}'],
    ['in a call', 'javascript', 'f(() => {}, [a]);', 9, 'f(() => {\n  one\n  two\n}, [a]);'],
    ['in a placeholder', 'yaml', 'a: {{}}', 5, 'a: {{}}\none\ntwo'],
    ['in a diff', 'diff', '+f({})', 4, '+f({})\none\ntwo'],
    ['after the braces', 'javascript', 'f() {}', 6, 'f() {}\none\ntwo'],
    ['in prose', 'latex', '\\a{}', 3, '\\a{}\none\ntwo'],
  ] as const) {
    it(`a response is indented as block content only between a block's braces (${where})`, async () => {
      await assertInserted([0, cursor], language, text, want);
    });
  }

  for (const [what, mode, selected] of [
    ['`above`', 'above', false],
    ['selected text', 'below', true],
  ] as const) {
    it(`a line that opens a block doesn't affect a response's indentation (${what})`, async () => {
      const editor = await open('if x:', new Range(0, selected ? 0 : 5, 0, 5), 'python');
      assert.equal(await stream(editor, mode, ['one\n', 'two']), true);
      assert.equal(
        editor.document.getText(),
        mode === 'above' ? 'one\ntwo\nif x:' : 'if x:\none\ntwo',
      );
    });
  }

  it('an indented response keeps its indentation on an empty line', async () => {
    const editor = await open('  a\n\n  b', new Range(1, 0, 1, 0), 'javascript');
    assert.equal(await stream(editor, 'after', ['\n  one\n', '  two']), true);
    assert.equal(editor.document.getText(), '  a\n  one\n  two\n  b');
  });

  it("a paragraph on an empty line isn't joined to the indented paragraph above", async () => {
    const editor = await open('  - a\n\n  - b', new Range(1, 0, 1, 0), 'markdown');
    assert.equal(await stream(editor, 'below', ['\n\n- one']), true);
    assert.equal(editor.document.getText(), '  - a\n\n  - one\n  - b');
  });

  const withoutBlankLine: ByPlacingMode = {
    below: 'text\nanswer\nend',
    after: 'textanswer\nend',
    above: 'answer\ntext\nend',
    replace: 'answer\nend',
  };
  for (const [mode, want] of Object.entries(withoutBlankLine)) {
    it(`\`${mode}\` doesn't add a blank line if a response ends with line breaks`, async () => {
      const editor = await open('text\nend', LINE);
      assert.equal(await stream(editor, mode, ['answer\n', '\n']), true);
      assert.equal(editor.document.getText(), want);
    });
  }

  for (const [what, mode, selection, want] of [
    ['below', 'below', new Range(0, 2, 0, 6), '  text\n  answer\n  more\n  \nend'],
    ['above', 'above', new Range(0, 2, 0, 6), '  answer\n  more\n  text\n  \nend'],
    ['replace', 'replace', new Range(0, 2, 0, 6), '  answer\n  more\n  \nend'],
    [
      'at a cursor in an empty line',
      'below',
      new Range(1, 2, 1, 2),
      '  text\n  answer\n  more\nend',
    ],
  ] as const) {
    it(`no blank line is added before code that begins with line breaks (${what})`, async () => {
      const editor = await open('  text\n  \nend', selection, 'javascript');
      assert.equal(await stream(editor, mode, ['\n', ' \nanswer\nmore']), true);
      assert.equal(editor.document.getText(), want);
    });
  }

  for (const [what, mode, selection, want] of [
    ['below', 'below', new Range(1, 0, 1, 3), 'one\ntwo\n\nanswer\n\nend'],
    ['above', 'above', new Range(1, 0, 1, 3), 'one\n\nanswer\ntwo\n\nend'],
    ['below a blank line', 'below', new Range(1, 0, 3, 0), 'one\ntwo\n\nanswer\nend'],
    ['above the first line', 'above', new Range(0, 0, 0, 3), 'answer\none\ntwo\n\nend'],
  ] as const) {
    it(`a paragraph of prose isn't joined to the paragraph before it (${what})`, async () => {
      const editor = await open('one\ntwo\n\nend', selection, 'markdown');
      assert.equal(await stream(editor, mode, ['\n', '\nanswer']), true);
      assert.equal(editor.document.getText(), want);
    });
  }

  it("`below` doesn't indent the blank line before an indented paragraph of prose", async () => {
    const editor = await open('    - one\nend', new Range(0, 4, 0, 9), 'markdown');
    assert.equal(await stream(editor, 'below', ['\n\n- two']), true);
    assert.equal(editor.document.getText(), '    - one\n\n    - two\nend');
  });

  for (const [what, mode, selection, want] of [
    ['after', 'after', new Range(0, 2, 0, 6), '  text\n  answer\nend'],
    ['replace in the middle of a line', 'replace', new Range(0, 4, 0, 6), '  te\n  answer\nend'],
  ] as const) {
    it(`a line break at the start of a response is kept (${what})`, async () => {
      const editor = await open('  text\nend', selection);
      assert.equal(await stream(editor, mode, ['\n', 'answer']), true);
      assert.equal(editor.document.getText(), want);
    });
  }

  it('a mode added by a contributor inserts its text as one undo step @nightly', async () => {
    const editor = await open('  a = 1;', new Range(0, 2, 0, 8), 'javascript');
    assert.equal(await stream(editor, comment, ['says ', 'what\nis so']), true);
    assert.equal(editor.document.getText(), '  /*\n  says what\n  is so\n  */\n  a = 1;');
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), '  a = 1;');
  });

  it('`newDocument` writes a response into a new document in the same language', async () => {
    const editor = await open('a = 1', new Range(0, 0, 0, 5), 'python');
    assert.equal(await stream(editor, 'newDocument', ['b ', '= 2']), true);
    assert.equal(editor.document.getText(), 'a = 1');
    const made = newDocument(editor.document);
    assert.equal(made.getText(), 'b = 2');
    assert.equal(made.languageId, 'python');
  });

  it("`newDocument` doesn't take focus if the user has moved the cursor @nightly", async () => {
    const editor = await open('a = 1\n', new Range(0, 0, 0, 5));
    const job = jobOn(editor, 'newDocument');
    await commands.executeCommand('cursorBottom');
    // The command ends before extensions receive its selection event.
    await until(window.onDidChangeTextEditorSelection, () => editor.selection.active.line === 1);
    job.append(0, 'answer');
    assert.equal(await job.end(0, 'ended'), true);
    await commands.executeCommand('type', { text: 'mine' });
    assert.equal(editor.document.getText(), 'a = 1\nmine');
    assert.equal(newDocument(editor.document).getText(), 'answer');
  });

  it('`newDocument` takes focus if the user is idle @nightly', async () => {
    const editor = await open('a = 1', new Range(0, 0, 0, 5));
    assert.equal(await stream(editor, 'newDocument', ['answer']), true);
    assert.equal(window.activeTextEditor?.document, newDocument(editor.document));
  });

  it('`newDocument` links its document to the job before the document becomes active', async () => {
    const editor = await open('text', LINE);
    const job = jobOn(editor, 'newDocument');
    const uses: boolean[] = [];
    const listener = window.onDidChangeActiveTextEditor((active) => {
      if (active) uses.push(job.usesDocument(active.document));
    });
    job.append(0, 'answer');
    assert.equal(await job.end(0, 'ended'), true);
    listener.dispose();
    assert.deepEqual(uses, [true]);
  });

  it('`newDocument` writes several responses in order, no matter which one arrives first @nightly', async () => {
    const editor = await three();
    const job = jobOn(editor, 'newDocument');
    for (const index of [2, 1, 0]) {
      job.append(index, `answer `);
      job.append(index, `${index}`);
      assert.equal(await job.end(index, 'ended'), true);
    }
    assert.equal(newDocument(editor.document).getText().trim(), 'answer 0\n\nanswer 1\n\nanswer 2');
  });

  it("`newDocument` doesn't add blank lines for an empty first response @nightly", async () => {
    const editor = await three();
    const job = jobOn(editor, 'newDocument');
    for (const index of [1, 2]) job.append(index, `answer ${index}`);
    for (const index of job.indices) assert.equal(await job.end(index, 'ended'), true);
    assert.equal(newDocument(editor.document).getText(), 'answer 1\n\nanswer 2');
  });

  it('`newDocument` stops writing if its document is closed, and leaves nothing to undo @nightly', async () => {
    const editor = await open('text', LINE);
    const job = jobOn(editor, 'newDocument');
    job.append(0, 'first ');
    await until(workspace.onDidChangeTextDocument, () =>
      workspace.textDocuments.some((each) => each.getText() === 'first '),
    );
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(await job.undo(), 'nothing');
  });

  it('`newDocument` opens a document for a retry if none is open', async () => {
    const editor = await open('text', LINE);
    const [target] = captureTargets(editor);
    assert.ok(target);
    let isOpenable = false;
    const fragile = {
      ...target,
      get responseLanguage() {
        assert.ok(isOpenable);
        return 'plaintext';
      },
    };
    const writer = newDocumentMode.open([fragile], { undone: (_) => {} } as ModeDeps);
    const answer = (text: string) => {
      writer.append(0, text);
      return writer.end(0);
    };
    assert.equal(await answer('first'), false);
    assert.deepEqual(
      [true, false].map((isNew) => writer.canInsert(0, isNew)),
      [true, false],
    );
    isOpenable = true;
    for (const text of ['second', 'third']) {
      writer.restart(0);
      assert.equal(await answer(text), true);
      assert.equal(newDocument(editor.document).getText(), text);
      await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
    writer.dispose?.();
  });

  it("`newDocument` doesn't open a document if no text arrives @nightly", async () => {
    const editor = await open('text', LINE);
    const job = jobOn(editor, 'newDocument');
    job.begin([0], 'restart');
    assert.equal(await job.end(0, 'failed'), true);
    assert.deepEqual(window.visibleTextEditors, [editor]);
  });

  it('`newDocument` reuses its document for a retry after Undo Generation @nightly', async () => {
    const editor = await open('text', LINE);
    const job = jobOn(editor, 'newDocument');
    job.append(0, 'first');
    assert.equal(await job.end(0, 'ended'), true);
    const made = newDocument(editor.document);
    assert.equal(await job.undo(), 'undone');
    assert.equal(made.getText(), '');
    job.begin([0], 'restart');
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(made.getText(), 'second');
  });

  it('`clipboard` copies all responses when the last one is complete', async () => {
    await env.clipboard.writeText('before');
    const job = jobOn(await three(), 'clipboard');
    job.begin(job.indices, 'restart');
    for (const index of [1, 0, 2]) {
      job.append(index, `answer ${index}`);
      assert.equal(await env.clipboard.readText(), 'before');
      assert.equal(await job.end(index, 'ended'), true);
    }
    assert.equal(await env.clipboard.readText(), 'answer 0\n\nanswer 1\n\nanswer 2');
    assert.equal(await job.undo(), 'nothing');
    assert.equal(job.isUndone, false);
  });

  it('`clipboard` copies a partial response, even if another response never started', async () => {
    await env.clipboard.writeText('before');
    const job = jobOn(await three(), 'clipboard');
    job.begin([0, 1], 'restart');
    job.append(0, 'half');
    for (const index of [0, 1]) assert.equal(await job.end(index, 'failed'), true);
    assert.equal(await env.clipboard.readText(), 'half');
  });

  it("`clipboard` doesn't copy anything if a retry returns no new text", async () => {
    const job = jobOn(await open('text', LINE), 'clipboard');
    job.append(0, 'answer');
    assert.equal(await job.end(0, 'ended'), true);
    await env.clipboard.writeText('copied by the user');
    job.begin([0], 'restart');
    assert.equal(await job.end(0, 'failed'), true);
    assert.equal(await env.clipboard.readText(), 'copied by the user');
  });

  it('`clipboard` copies all responses again after one of them is retried @nightly', async () => {
    const job = jobOn(await three(), 'clipboard');
    for (const index of job.indices) {
      job.append(index, `answer ${index}`);
      await job.end(index, 'ended');
    }
    job.begin([1], 'restart');
    job.append(1, 'again');
    await job.end(1, 'ended');
    assert.equal(await env.clipboard.readText(), 'answer 0\n\nagain\n\nanswer 2');
  });
});

async function three(): Promise<TextEditor> {
  return openWith(
    'one\ntwo\nten\n',
    [0, 1, 2].map((line) => new Range(line, 0, line, 3)),
  );
}

/** Returns the only visible document besides `first`. */
function newDocument(first: TextDocument): TextDocument {
  const [made, ...more] = window.visibleTextEditors
    .map(({ document }) => document)
    .filter((document) => document !== first);
  assert.ok(made);
  assert.deepEqual(more, []);
  return made;
}
