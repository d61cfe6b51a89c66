import assert from 'node:assert/strict';
import { completionsAt } from '../../../src/templates/completions.ts';

const modes = ['below', 'replace'];
/**
 * Returns the labels of the completions at the `|`, and the text that they replace. Returns
 * undefined if there are no completions.
 */
const at = (marked: string) => {
  const text = marked.replace('|', '');
  const found = completionsAt(text, marked.indexOf('|'), modes);
  if (!found) return undefined;
  const { offset, length } = found.replaced;
  return [found.items.map(({ label }) => label), text.slice(offset, offset + length)];
};
const variables = ['selection', 'language', 'fileName', 'input:question'];

describe('completion in a template file', () => {
  it("offers variables after a dollar sign and an opening brace, and replaces any name that's already there", () => {
    assert.deepEqual(at(`Explain \${|`), [variables, '']);
    assert.deepEqual(at(`Explain \${|} this`), [variables, '}']);
    assert.deepEqual(at(`---\n---\nExplain \${sel|ect} this`), [variables, 'select}']);
    assert.deepEqual(at(`\${language} \${inp|`), [variables, 'inp']);
    assert.deepEqual(at(`\\\\\${|}`), [variables, '}']);
  });

  it("doesn't replace the next word unless a closing brace follows it", () => {
    assert.deepEqual(at(`Explain \${|code please`), [variables, '']);
    assert.deepEqual(at(`Explain \${sel|code please`), [variables, 'sel']);
  });

  it('replaces a name before a closing brace, but not other text', () => {
    assert.deepEqual(at(`\${|A haiku about \${selection}`), [variables, '']);
    assert.deepEqual(at(`\${|select} this`), [variables, 'select}']);
  });

  it("isn't offered outside a variable or after an escaped dollar sign", () => {
    for (const text of ['Explain |', `\\\${|`, `\${selection}|`, '$|', '|', `\${\n|`]) {
      assert.equal(at(text), undefined, text);
    }
  });

  it('offers missing keys at the start of a front matter line', () => {
    const all = ['name', 'insertMode', 'responseLanguage', 'model', 'languages', 'parameters'];
    assert.deepEqual(at('---\n|\n---\nDo it.'), [all, '']);
    assert.deepEqual(at('---\nname: a\nins|\n---\n'), [all.slice(1), 'ins']);
    assert.deepEqual(at('---\nmo|del: x\nname: y\n---\n')?.[1], 'model: ');
    assert.deepEqual(at('---\r\n|'), [all, '']);
    assert.equal(at('---\nparameters:\n  |\n---\n'), undefined);
    assert.equal(at('---\nname: a\n|---\nDo it.'), undefined);
    assert.equal(at('---\nname: |\n---\n'), undefined);
  });

  it('offers the insert modes after the insertMode key in the front matter', () => {
    assert.deepEqual(at('---\ninsertMode: |\n---\n'), [modes, '']);
    assert.deepEqual(at('---\ninsertMode: "be|fore"\n---\n'), [modes, 'before']);
    assert.equal(at('insertMode: |'), undefined);
  });
});
