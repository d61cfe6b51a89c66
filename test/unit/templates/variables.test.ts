import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  fillPrompt,
  needsSelection,
  type PromptValues,
  promptIssues,
  questionsOf,
} from '../../../src/templates/variables.ts';

const values = (selection = 'the text', answers: Record<string, string> = {}): PromptValues => ({
  selection,
  language: 'python',
  fileName: 'greeting.py',
  inputs: new Map(Object.entries(answers)),
});
const brief = (prompt: string) =>
  promptIssues(prompt).map((issue) => {
    const { kind, offset, length, isError } = issue;
    assert.ok(isError);
    return [kind, prompt.slice(offset, offset + length)];
  });

describe('variables in a prompt', () => {
  it("are replaced with values from the document and with the user's answers", () => {
    const prompt = `Explain \${selection} (\${language}, \${fileName}) in \${input:Which, how?}.`;
    assert.equal(
      fillPrompt(prompt, values('x = 1', { 'Which, how?': 'German' })),
      'Explain x = 1 (python, greeting.py) in German.',
    );
    assert.deepEqual(promptIssues(prompt), []);
  });

  it("aren't replaced inside the selection", () => {
    const anything = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(anything, (selection) => {
        for (const more of ['', `\${selection} \${input:x} \\\${ $& $1`]) {
          const whole = selection + more;
          const filled = fillPrompt(`a \${selection} b`, values(whole));
          assert.equal(filled, `a ${whole} b`);
        }
      }),
    );
  });

  it("aren't replaced after a backslash", () => {
    assert.equal(
      fillPrompt(`\\\${selection} $ {x} $x \\n`, values('')),
      `\${selection} $ {x} $x \\n`,
    );
    assert.deepEqual(promptIssues(`\\\${anything} \\\${`), []);
  });

  it('are replaced after an escaped backslash', () => {
    assert.equal(fillPrompt(`C:\\\\\${fileName}`, values('')), 'C:\\greeting.py');
    assert.equal(fillPrompt(`\\\\\\\${fileName}`, values('')), `\\\${fileName}`);
    assert.equal(fillPrompt('a\\\\b', values('')), 'a\\\\b');
    assert.deepEqual(brief(`\\\\\${x}`), [['unknown-variable', `\${x}`]]);
  });

  it("don't have to include the selection, which is appended if it's missing", () => {
    assert.equal(fillPrompt('Explain this.', values('x')), 'Explain this.\n\nx');
    assert.equal(fillPrompt('Tell a joke.', values('')), 'Tell a joke.');
    assert.equal(fillPrompt('Tell a joke.', values(' \n')), 'Tell a joke.');
    assert.equal(fillPrompt(`\\\${selection}`, values('x')), `\${selection}\n\nx`);
  });

  it('determine whether a selection is needed', () => {
    assert.equal(needsSelection({ prompt: `a \${selection}` }), true);
    assert.equal(needsSelection({ prompt: `a \\\${selection} \${language}` }), false);
  });

  it('ask each question only once, in order of first use', () => {
    const prompt = `\${input:To whom?} \${input: Tone (formal: yes/no)? } \${input:To whom?}`;
    assert.deepEqual(questionsOf(prompt), ['To whom?', 'Tone (formal: yes/no)?']);
  });

  const wrong: readonly (readonly [prompt: string, ...expected: unknown[]])[] = [
    [`a \${selecton} b`, 'unknown-variable', `\${selecton}`],
    [`\${Selection}`, 'unknown-variable', `\${Selection}`],
    [`\${ selection }`, 'unknown-variable', `\${ selection }`],
    [`\${input}`, 'unknown-variable', `\${input}`],
    [`\${env:HOME}`, 'unknown-variable', `\${env:HOME}`],
    [`\${__proto__}`, 'unknown-variable', `\${__proto__}`],
    [`\${toString}`, 'unknown-variable', `\${toString}`],
    [`\${}`, 'unknown-variable', `\${}`],
    [`\${input: }`, 'no-question', `\${input: }`],
    [`a \${selection\n}`, 'unclosed-variable', `\${`],
    [`a \${`, 'unclosed-variable', `\${`],
  ];
  for (const [prompt, ...expected] of wrong) {
    it(`are reported as invalid in ${JSON.stringify(prompt)}`, () => {
      assert.deepEqual(brief(prompt), [expected]);
    });
  }
});
