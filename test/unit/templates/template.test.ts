import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { noTemplateText } from '../../../src/templates/templateMessages.ts';
import {
  checkedName,
  displayName,
  findTemplate,
  lastUsedTemplates,
  noteLastUsed,
} from '../../../src/templates/templateNames.ts';
import { oneLine } from '../../../src/ui/oneLine.ts';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';

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

  it("can't contain invisible characters", () => {
    for (const character of hidden) {
      for (const name of [`Explain${character}`, `Ex${character}plain`]) {
        const shown = JSON.stringify(name);
        assert.equal(checkedName(name), undefined, shown);
        assert.match(displayName(name), /^Ex\?plain$|^Explain\?$/, shown);
        assert.match(oneLine(name), /^Ex plain$|^Explain$/, shown);
      }
    }
    assert.equal(checkedName('Explain\uFFF9'), undefined);
  });

  it("F16: isn't rendered as a Markdown link in notifications", () => {
    const name = '[Click](command:workbench.action.quit) [x](https://h0stile.example)';
    // VS Code's own regular expression for links in notifications and input boxes.
    const links = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
    const text = noTemplateText(name);
    assert.match(text, /Click.*quit/);
    assert.doesNotMatch(text, links);
    assert.doesNotMatch(oneLine('[[x]]\u200B(command:y)[x]\n(file:z)'), links);
  });

  it('can contain non-Latin text and whole emoji', () => {
    for (const name of ['Erklären', '説明', 'شرح', '⚠️ Check', '👩‍💻 Review', '1️⃣ First']) {
      assert.equal(checkedName(` ${name} `), name);
    }
  });

  it('is matched regardless of case', () => {
    const entries = [{ name: 'Explain', prompt: 'x', origin: 'settings' }];
    assert.equal(findTemplate(entries, ' explain ')?.name, 'Explain');
    assert.equal(findTemplate(entries, 'Expl'), undefined);
    assert.equal(findTemplate(entries, ''), undefined);
  });
});

describe('recently used templates', () => {
  const editor = new SinkEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());

  const memento = (value?: unknown) => {
    const kept = new Map<string, unknown>([['hostedModel.lastUsedTemplates', value]]);
    return {
      get: (key: string) => kept.get(key),
      update: async (key: string, to: unknown) => void kept.set(key, to),
    } as unknown as Memento;
  };

  it('are limited to 20 and stored newest first, without duplicates', async () => {
    const kept = memento();
    for (let index = 1; index <= 22; index += 1) await noteLastUsed(kept, `t${index}`);
    await noteLastUsed(kept, 'T10');
    const names = lastUsedTemplates(kept);
    assert.equal(names.length, 20);
    assert.deepEqual(names.slice(0, 3), ['T10', 't22', 't21']);
    assert.equal(names.at(-1), 't3');
  });

  it("can be used even if the list can't be stored", async () => {
    const { window } = await import('vscode');
    const { chooseTemplate } = await import('../../../src/templates/templateFeature.ts');
    const document = window.activeTextEditor?.document ?? assert.fail();
    const update = async () => {
      throw new Error('the disk is full');
    };
    const template = await chooseTemplate(
      { document, texts: [] },
      'Explain',
      Object.assign(memento(), { update }),
    );
    assert.equal(template?.name, 'Explain');
  });

  it("don't include invalid stored values", () => {
    assert.deepEqual(lastUsedTemplates(memento({ length: 3 })), []);
    assert.deepEqual(lastUsedTemplates(memento([1, 'a', null])), ['a']);
  });
});
