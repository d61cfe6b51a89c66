import assert from 'node:assert/strict';
import { checkedName, shownPart } from '../../../src/templates/templateName.ts';
import { oneLine } from '../../../src/ui/oneLine.ts';

describe('the name of a template', () => {
  const hidden = [
    '\u3164',
    '\uFE0F',
    '\u034F',
    '\u115F',
    '\u2800',
    '\u200D',
    '\u202E',
    '\u{E0041}',
  ];

  it('holds nothing that cannot be seen, so that no two names look alike', () => {
    for (const character of hidden) {
      for (const name of [`Explain${character}`, `Ex${character}plain`]) {
        const shown = JSON.stringify(name);
        assert.equal(checkedName(name), undefined, shown);
        assert.match(shownPart(name), /^Ex\?plain$|^Explain\?$/, shown);
        assert.match(oneLine(name), /^Ex plain$|^Explain$/, shown);
      }
    }
    assert.equal(checkedName('Explain\uFFF9'), undefined);
  });

  it('may be of any script, and hold whole emoji', () => {
    for (const name of ['Erklären', '説明', 'شرح', '⚠️ Check', '👩‍💻 Review', '1️⃣ First']) {
      assert.equal(checkedName(` ${name} `), name);
    }
  });
});
