import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Indentation } from '../../../../src/editor/fit/indentation.ts';
import { cutText, run } from './cuts.ts';

describe('indentation', () => {
  type Case = [name: string, indentation: string, text: string, want: string];

  const fitted = (indentation: string, text: string, languageId = 'c') =>
    run(new Indentation({ indentation, languageId }), [text]);

  const given: Case[] = [
    ['unless the text is a single line', '    ', 'a b ', 'a b '],
    ['to every line after the first', '  ', 'a\nb\nc', 'a\n  b\n  c'],
    ['as tabs', '\t', 'a\nb', 'a\n\tb'],
    ['as mixed tabs and spaces', '\t  ', 'a\n\tb', 'a\n\t  \tb'],
    ['except to blank lines', '\t', 'a\n\nb\n', 'a\n\n\tb\n'],
    ['except to lines of spaces, which become empty', '  ', 'a\n    \nb\n   ', 'a\n\n  b\n'],
    ["before a line's own indentation", '  ', 'if x:\n    y', 'if x:\n      y'],
    ['to the first line with text if a blank line comes before it', '  ', '\na', '\n  a'],
    ['unless the place has no indentation', '', '  a\n    b\nc', '  a\n    b\nc'],
  ];
  const brought: Case[] = [
    ['as spaces on every line', '    ', '    a\n      b\n    c', 'a\n      b\n    c'],
    ['as tabs on every line', '\t', '\ta\n\t\tb\n\tc', 'a\n\t\tb\n\tc'],
    ['as mixed tabs and spaces on every line', '\t  ', '\t  a\n\t  \tb', 'a\n\t  \tb'],
    ['with more on the first line', '  ', '    a\n  b', '  a\n  b'],
    ['with less on a later line', '    ', '    a\n  b\nc', 'a\n    b\n    c'],
    ['after a blank line', '  ', '\n  a\n  b', '\n  a\n  b'],
    ['but is added if the first line has less', '    ', '  a\n    b', '  a\n        b'],
    [
      'but is added if the response has spaces and the place has tabs',
      '\t',
      '    a\n    b',
      '    a\n\t    b',
    ],
    [
      'but is added if the response has tabs and the place has spaces',
      '    ',
      '\ta\n\tb',
      '\ta\n    \tb',
    ],
  ];
  const echoed: Case[] = [
    ['after a statement', '    ', 'a();\n    b();\n    c();', 'a();\n    b();\n    c();'],
    ['after a block', '\t', 'f() { a; }\n\n\tg();', 'f() { a; }\n\n\tg();'],
    ['after a comment', '    ', '# sum\n    x = 1', '# sum\n    x = 1'],
    ['after the start of a doc comment', '\t', '/**\n\t * a\n\t */', '/**\n\t * a\n\t */'],
    ['in a block', '    ', 'if x:\n        y\n    z', 'if x:\n        y\n    z'],
    ['in a block with tabs', '\t', 'if (x) {\n\t\ty\n\t}', 'if (x) {\n\t\ty\n\t}'],
    [
      'in a block, with a space at the end of the first line',
      '    ',
      'f: \n      g',
      'f: \n      g',
    ],
  ];
  const own: Case[] = [
    ['in a block', '    ', 'if x:\n    y\nz', 'if x:\n        y\n    z'],
    ['in a block with tabs', '\t', 'if (x) {\n\ty\n}', 'if (x) {\n\t\ty\n\t}'],
    ['in a block that is deeper than the place', '  ', 'f {\n    y\n}', 'f {\n      y\n  }'],
    ['in a call with several lines', '    ', 'a(\n        b', 'a(\n            b'],
    ['in a chain of calls', '  ', 'a\n    .b();', 'a\n      .b();'],
    ['in a block without a brace or colon', '  ', 'def f\n  a\nend', 'def f\n    a\n  end'],
    ['in a CSS rule', '    ', '#a {\n    b\n}', '#a {\n        b\n    }'],
    ['on later lines', '    ', 'a;\nb\n    c', 'a;\n    b\n        c'],
  ];
  for (const [group, cases] of Object.entries({
    'is added': given,
    "isn't doubled if the response has it,": brought,
    "isn't doubled if only the first line lacks it,": echoed,
    'of the response itself is kept': own,
  })) {
    describe(group, () => {
      for (const [name, indentation, text, want] of cases) {
        it(name, () => assert.equal(fitted(indentation, text), want));
      }
    });
  }

  describe('after a first line without a semicolon', () => {
    const doubled: [languageId: string, text: string][] = [
      ['python', 'x = 1\n    y = 2\n    return x + y'],
      ['python', 'if x:  # why\n        y()\n    z()'],
      ['go', 'x := 1\n    y := 2\n    return x + y'],
      ['go', 'total++ // all\n    return total'],
      ['typescript', 'const x = 1\n    const y = `a`\n    return x + y'],
      ['swift', 'let url = "http://a"\n    open(url)'],
    ];
    for (const [languageId, text] of doubled) {
      it(`isn't doubled in ${languageId}: ${JSON.stringify(text)}`, () => {
        assert.equal(fitted('    ', text, languageId), text);
      });
    }

    const kept: [languageId: string, text: string][] = [
      ['python', 'x = (\n    1)'],
      ['python', 'f(a,\n    b)'],
      ['python', 'x = 1 + \\\n    2'],
      ['python', 'x = """\n    text\n"""'],
      ['go', 'x := a +\n    b'],
      ['typescript', 'a\n    .b()'],
      ['typescript', 'const b = a\n    ? 1\n    : 2'],
      ['typescript', 'if (x)\n    y()'],
      ['typescript', 'const a = `\n    b`'],
      ['ruby', 'def f\n    a\nend'],
      ['yaml', '- a: 1\n    b: 2'],
      ['pug', 'ul\n    li a'],
    ];
    for (const [languageId, text] of kept) {
      it(`is added in ${languageId} if the first line may continue: ${JSON.stringify(text)}`, () => {
        const given = text.replaceAll('\n', '\n    ');
        assert.equal(fitted('    ', text, languageId), given);
      });
    }
  });

  for (const [what, indentation, text, want] of [
    ['two spaces', '\t', 'if (a) {\n  if (b)\n    c;\n}', 'if (a) {\n\t\tif (b)\n\t\t\tc;\n\t}'],
    ['four spaces', '', 'if (a)\n    if (b)\n        c;', 'if (a)\n\tif (b)\n\t\tc;'],
    ['aligned lines', '', 'f(a,\n  b,\n     c)', 'f(a,\n\tb,\n\t\t c)'],
    ['a doc comment', '', '/**\n * a\n */\nif (a)\n  b;', '/**\n * a\n */\nif (a)\n\tb;'],
    ['tabs', '\t', 'if (a)\n\tb;', 'if (a)\n\t\tb;'],
    ['a string', '', 'a = `\n  b\n`;\nif (a)\n  b;', 'a = `\n  b\n`;\nif (a)\n\tb;'],
    ['two levels', '\t\t', '        if (a)\n            b;', 'if (a)\n\t\t\tb;'],
    ['all lines', '\t', '    a;\n    b;', 'a;\n\tb;'],
    ['three spaces', '', 'if (a) {\n   if (b) {\n      c;', 'if (a) {\n\tif (b) {\n\t\tc;'],
    ['a block inside a statement', '', 'if (a)\n  if (b) {\n    c;', 'if (a)\n\tif (b) {\n\t\tc;'],
    [
      'half-indented labels in a class',
      '',
      'f() {\n    a;\n}\nclass A {\n  public:\n    b() {\n        c;',
      'f() {\n\ta;\n}\nclass A {\n  public:\n\tb() {\n\t\tc;',
    ],
    [
      'two spaces after aligned parameters',
      '',
      'f(a,\n        b) {\n  if (a) {\n    c;',
      'f(a,\n\t\tb) {\n\tif (a) {\n\t\tc;',
    ],
  ] as const) {
    it(`is converted from spaces to tabs (${what})`, () => {
      const options = { indentation, languageId: 'typescript', step: '\t' };
      assert.equal(run(new Indentation(options), [text]), want);
    });
  }

  for (const [what, step, indentation, text, want] of [
    ['two spaces to four', 4, 0, 'if (a) {\n  b;\n}', 'if (a) {\n    b;\n}'],
    ['two spaces to eight', 8, 0, 'if (a) {\n  b;\n}', 'if (a) {\n        b;\n}'],
    ['four spaces to two', 2, 0, 'if (a) {\n    b(\n        c);\n}', 'if (a) {\n  b(\n    c);\n}'],
    ['tabs', 2, 2, '\tif (a) {\n\t\tb;\n\t}', 'if (a) {\n    b;\n  }'],
    ['four spaces to two, below a selection', 2, 2, '{\n    b;\n}', '{\n    b;\n  }'],
    ['tabs to eight spaces', 8, 0, 'if (a) {\n\tb;\n}', 'if (a) {\n        b;\n}'],
    ['after a comment', 4, 0, '/**\n * Don`t\n */\na {\n  b;', '/**\n * Don`t\n */\na {\n    b;'],
    ['after a string', 4, 0, 'a {\n  b = `\n* c`;\n  d;', 'a {\n    b = `\n* c`;\n    d;'],
    ['an array', 4, 0, '[\n  1\n]', '[\n    1\n]'],
    ['a doc comment', 4, 0, 'a {\n  /**\n   * b\n', 'a {\n    /**\n     * b\n'],
    ['below a selection', 4, 4, 'if (a) {\n  b;\n}', 'if (a) {\n        b;\n    }'],
    ['repeated', 4, 4, '    if (a) {\n      b;\n    }', 'if (a) {\n        b;\n    }'],
  ] as const) {
    it(`is converted to the document's indent size (${what})`, () => {
      const options = {
        indentation: ' '.repeat(indentation),
        languageId: 'typescript',
        step: ' '.repeat(step),
      };
      assert.equal(run(new Indentation(options), [text]), want);
    });
  }

  for (const [what, step, indentation, text] of [
    ['the same step', 2, 0, 'if (a) {\n  b(\n      c);\n}'],
    ['a continued line', 2, 0, 'a(\n    b);\nif (a) {\n  b;\n}'],
    ['a line that may have a repeated indentation', 2, 2, 'if (a) {\n    b;\n  }'],
    ['a selection that is indented by half a level', 4, 2, 'if (a) {\n  b;\n}'],
    ['an aligned array', 4, 0, 'a = {\n        1,\n};\nb {\n    c {\n        d;'],
    ['a chain', 2, 0, 'a\n  .b(() => {\n    c();\n  })'],
    ['an argument with a block', 2, 0, 'a(\n  () => {\n    b();\n  },\n);'],
    ['a comment after a brace', 2, 0, 'if (a) { // b\n  if (c) {\n    d();\n  }\n}'],
    ['an indented first line', 2, 0, '  a() {\n    b();\n  }'],
    ['the same step of eight', 8, 0, 'if (a) {\n        b;\n}'],
    ['the same step of three', 3, 0, 'if (a) {\n   if (b) {\n      c;\n   }\n}'],
  ] as const) {
    it(`isn't converted to a different indent size (${what})`, () => {
      const spaces = ' '.repeat(indentation);
      const options = {
        indentation: spaces,
        languageId: 'typescript',
        step: ' '.repeat(step),
        hasIndentedPrompt: true,
      };
      const want = text.replaceAll(/\n(?!$)/g, `\n${spaces}`);
      assert.equal(run(new Indentation(options), [text]), want);
    });
  }

  for (const [what, languageId, text, want] of [
    ['an escaped backtick', 'typescript', 'a = `\\`\n  b`;\n  c', 'a = `\\`\n  b`;\n\tc'],
    ['a quoted backtick', 'typescript', "if (a === '`')\n  b;", "if (a === '`')\n\tb;"],
    ['a backtick in a comment', 'c', "a; // the `b' of c\n  d;", "a; // the `b' of c\n\td;"],
    ['a backtick in a long comment', 'c', "/* a\nthe `b' */\n  c;", "/* a\nthe `b' */\n\tc;"],
    [
      'an expression in a template',
      'typescript',
      `a = \`\${b.map((c) => {\n  return \`\n  \${c}\`;\n  })}\n  d\`;\n  e;`,
      `a = \`\${b.map((c) => {\n\treturn \`\n  \${c}\`;\n\t})}\n  d\`;\n\te;`,
    ],
    ['a glob', 'typescript', "a('src/*.ts');\n  b('`');\n  c", "a('src/*.ts');\n\tb('`');\n\tc"],
    ['a text block', 'java', 'a = """\n  "b\n  """;\n  c;', 'a = """\n  "b\n  """;\n\tc;'],
    ['a verbatim string', 'csharp', 'a = @"\n  b";\n  c("d");', 'a = @"\n  b";\n\tc("d");'],
    [
      'a lifetime',
      'rust',
      'fn a(b: &\'c str) {\n  d!("it\'s");\n  e!("\n  f");',
      'fn a(b: &\'c str) {\n\td!("it\'s");\n\te!("\n  f");',
    ],
    ['a quoted quote', 'cpp', "if (a == '\"')\n  b;", "if (a == '\"')\n\tb;"],
    ['a backslash at the end', 'csharp', 'a = @"b\\";\n  c;', 'a = @"b\\";\n\tc;'],
    ['doubled quotes', 'csharp', 'a = @"""b"" c\n  d";\n  e;', 'a = @"""b"" c\n  d";\n\te;'],
    ['backslashes', 'go', 'a(`\\`, `b\n  c`)\n  d', 'a(`\\`, `b\n  c`)\n\td'],
    [
      'a raw string',
      'rust',
      'a = r#"\n  "b": "//c",\n"#;\n  d',
      'a = r#"\n  "b": "//c",\n"#;\n\td',
    ],
    ['a raw string', 'cpp', 'a = R"b(\n  "c")\n)b";\n  d', 'a = R"b(\n  "c")\n)b";\n\td'],
    ['a raw string', 'kotlin', 'a = """\n  b\\"""\n  c', 'a = """\n  b\\"""\n\tc'],
    ['nested marks', 'dart', "a = '''\n  \"\"\"\n''';\n  b", "a = '''\n  \"\"\"\n''';\n\tb"],
    ['a language without them', 'css', 'a { /* `b */\n  c: d;', 'a { /* `b */\n\tc: d;'],
    ['a continued line', 'cpp', 'a("b\\\n  c");\n  d', 'a("b\\\n  c");\n\td'],
    ['two continued lines', 'cpp', 'a("b\\\n  c\\\n  d");\n  e', 'a("b\\\n  c\\\n  d");\n\te'],
    ['the other quote in a string', 'cpp', 'a("b \'c \\\n  d");\n  e', 'a("b \'c \\\n  d");\n\te'],
    [
      'an apostrophe',
      'c',
      "#define A \\\n  /* don't */ \\\n  b; \\\n  c",
      "#define A \\\n\t/* don't */ \\\n\tb; \\\n\tc",
    ],
    [
      'a quote in a comment',
      'c',
      '#define A /* 5" */ \\\n  b; \\\n  c',
      '#define A /* 5" */ \\\n\tb; \\\n\tc',
    ],
    ['an escaped backslash', 'c', 'a("b\\\\\n  c', 'a("b\\\\\n\tc'],
    [
      'a continued macro',
      'cpp',
      '#define A \\\n  a("b"); \\\n  c',
      '#define A \\\n\ta("b"); \\\n\tc',
    ],
    ['a macro before a string', 'cpp', 'a(BR"(c)", d);\n  e', 'a(BR"(c)", d);\n\te'],
    ['four quotes', 'csharp', 'a = """"\n  """b\n  """";\n  c', 'a = """"\n  """b\n  """";\n\tc'],
    ['an unpaired quote', 'javascript', 'a = /"/;\n  b;', 'a = /"/;\n\tb;'],
  ] as const) {
    it(`is converted only outside multiline strings (${what})`, () => {
      const options = { indentation: '', languageId, step: '\t' };
      assert.equal(run(new Indentation(options), [text]), want);
    });
  }

  it('in prose, is recognized only on the first line', () => {
    assert.equal(fitted('    ', 'So;\n    code', 'markdown'), 'So;\n        code');
    assert.equal(fitted('  ', '  - a\n  - b', 'markdown'), '- a\n  - b');
  });

  it('is held back, but all other text is returned immediately', () => {
    const indentation = new Indentation({ indentation: '  ', languageId: 'c' });
    const written = Array.from('a;\n  b', (character) => indentation.add(character));
    assert.deepEqual(written, ['a', ';', '\n', '', '', '  b']);
  });

  it('is the same no matter how the text is split into chunks', () => {
    const options = fc.record({
      indentation: fc.constantFrom('', '  ', '    ', '\t'),
      languageId: fc.constantFrom('c', 'python', 'markdown'),
    });
    const units = ['a', '\n', '\n', '  ', '    ', '\t', '{', ';', '.'];
    fc.assert(
      fc.property(options, cutText(units), (given, [text, pieces]) => {
        const cut = new Indentation(given);
        const written = pieces.map((piece) => run(cut, [piece])).join('');
        assert.equal(written, run(new Indentation(given), [text]));
      }),
      { numRuns: 1_000 },
    );
  });
});
