import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Indentation } from '../../../../src/editor/fit/indentation.ts';
import { cutText, run } from './cuts.ts';

describe('indentation', () => {
  type Case = [name: string, indentation: string, text: string, want: string];

  const fitted = (indentation: string, text: string, languageId = 'c') =>
    run(new Indentation({ indentation, languageId }), [text]);

  const given: Case[] = [
    ['plain text stays', '    ', 'a b ', 'a b '],
    ['every later line gets that of the place', '  ', 'a\nb\nc', 'a\n  b\n  c'],
    ['tabs are given like spaces', '\t', 'a\nb', 'a\n\tb'],
    ['tabs and spaces mixed are given as they are', '\t  ', 'a\n\tb', 'a\n\t  \tb'],
    ['blank lines get none', '\t', 'a\n\nb\n', 'a\n\n\tb\n'],
    ['lines of blanks become empty', '  ', 'a\n    \nb\n   ', 'a\n\n  b\n'],
    ['its own is kept below that of the place', '  ', 'if x:\n    y', 'if x:\n      y'],
    ['a first line after a blank one gets it, too', '  ', '\na', '\n  a'],
    ['no indentation of the place changes nothing', '', '  a\n    b\nc', '  a\n    b\nc'],
  ];
  const brought: Case[] = [
    ['spaces on every line', '    ', '    a\n      b\n    c', 'a\n      b\n    c'],
    ['tabs on every line', '\t', '\ta\n\t\tb\n\tc', 'a\n\t\tb\n\tc'],
    ['tabs and spaces mixed on every line', '\t  ', '\t  a\n\t  \tb', 'a\n\t  \tb'],
    ['a deeper first line keeps what it has more', '  ', '    a\n  b', '  a\n  b'],
    ['a shallower line loses what it has', '    ', '    a\n  b\nc', 'a\n    b\n    c'],
    ['a blank line before it decides nothing', '  ', '\n  a\n  b', '\n  a\n  b'],
    ['a shallower first line is kept', '    ', '  a\n    b', '  a\n        b'],
    ['spaces where the place has tabs are kept', '\t', '    a\n    b', '    a\n\t    b'],
    ['tabs where the place has spaces are kept', '    ', '\ta\n\tb', '\ta\n    \tb'],
  ];
  const echoed: Case[] = [
    ['after a statement', '    ', 'a();\n    b();\n    c();', 'a();\n    b();\n    c();'],
    ['after a block', '\t', 'f() { a; }\n\n\tg();', 'f() { a; }\n\n\tg();'],
    ['after a comment', '    ', '# sum\n    x = 1', '# sum\n    x = 1'],
    ['after the start of a doc comment', '\t', '/**\n\t * a\n\t */', '/**\n\t * a\n\t */'],
    ['in a block', '    ', 'if x:\n        y\n    z', 'if x:\n        y\n    z'],
    ['in a block of tabs', '\t', 'if (x) {\n\t\ty\n\t}', 'if (x) {\n\t\ty\n\t}'],
    ['in a block, blanks at the end of the first line', '    ', 'f: \n      g', 'f: \n      g'],
  ];
  const own: Case[] = [
    ['in a block', '    ', 'if x:\n    y\nz', 'if x:\n        y\n    z'],
    ['in a block of tabs', '\t', 'if (x) {\n\ty\n}', 'if (x) {\n\t\ty\n\t}'],
    ['in a block that is deeper than the place', '  ', 'f {\n    y\n}', 'f {\n      y\n  }'],
    ['in a call that goes on', '    ', 'a(\n        b', 'a(\n            b'],
    ['in a chain of calls', '  ', 'a\n    .b();', 'a\n      .b();'],
    ['in a block without a sign', '  ', 'def f\n  a\nend', 'def f\n    a\n  end'],
    ['in a selector', '    ', '#a {\n    b\n}', '#a {\n        b\n    }'],
    ['on later lines', '    ', 'a;\nb\n    c', 'a;\n    b\n        c'],
  ];
  for (const [group, cases] of Object.entries({
    'is given': given,
    'that the answer brings is not doubled': brought,
    'that is echoed behind a bare first line is not doubled': echoed,
    'of the answer itself is kept': own,
  })) {
    describe(group, () => {
      for (const [name, indentation, text, want] of cases) {
        it(name, () => assert.equal(fitted(indentation, text), want));
      }
    });
  }

  describe('that is echoed where statements need no semicolon', () => {
    const doubled: [languageId: string, text: string][] = [
      ['python', 'x = 1\n    y = 2\n    return x + y'],
      ['python', 'if x:  # why\n        y()\n    z()'],
      ['go', 'x := 1\n    y := 2\n    return x + y'],
      ['go', 'total++ // all\n    return total'],
      ['typescript', 'const x = 1\n    const y = `a`\n    return x + y'],
      ['swift', 'let url = "http://a"\n    open(url)'],
    ];
    for (const [languageId, text] of doubled) {
      it(`is not doubled in ${languageId}: ${JSON.stringify(text)}`, () => {
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
      it(`is kept in ${languageId} where the line may go on: ${JSON.stringify(text)}`, () => {
        const given = text.replaceAll('\n', '\n    ');
        assert.equal(fitted('    ', text, languageId), given);
      });
    }
  });

  it('of prose is not judged by the end of a line', () => {
    assert.equal(fitted('    ', 'So;\n    code', 'markdown'), 'So;\n        code');
    assert.equal(fitted('  ', '  - a\n  - b', 'markdown'), '- a\n  - b');
  });

  it('holds back nothing but the blanks that a line begins with', () => {
    const indentation = new Indentation({ indentation: '  ', languageId: 'c' });
    const written = Array.from('a;\n  b', (character) => indentation.add(character));
    assert.deepEqual(written, ['a', ';', '\n', '', '', '  b']);
  });

  it('gives the same however the pieces are cut, also with ends in between', () => {
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
