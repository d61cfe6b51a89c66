import assert from 'node:assert/strict';
import type { App } from '../../src/commands/app.ts';
import { choose } from '../../src/credentials/sourceSelection.ts';
import type { Row } from '../../src/diagnostics/diagnosisView.ts';
import { FakeEditor, installEditor } from './credentials/fakeEditor.ts';
import { envFile, found, full } from './credentials/sources.ts';

interface Item {
  readonly label: string;
  readonly row: Row;
}

/** A list of which a test picks the rows. */
class FakePick {
  items: Item[] = [];
  selectedItems: Item[] = [];
  #accept = () => {};
  #hide = () => {};

  onDidAccept(listener: () => void): void {
    this.#accept = listener;
  }
  onDidHide(listener: () => void): void {
    this.#hide = listener;
  }
  show(): void {}
  hide(): void {
    this.#hide();
  }
  dispose(): void {}

  /** Picks the row that does this, once it is there. */
  async pick(does: Row['does']): Promise<void> {
    for (let turns = 0; turns < 100 && !this.#rowThat(does); turns += 1) await turn();
    const item = this.#rowThat(does);
    assert.ok(item);
    this.selectedItems = [item];
    this.#accept();
    await turn();
  }

  #rowThat(does: Row['does']): Item | undefined {
    return this.items.find(({ row }) => row.does === does);
  }
}

class EditorWithList extends FakeEditor {
  readonly lists: FakePick[] = [];
  copied: string | undefined;
  mayCopy = true;

  override exports(): Record<string, unknown> {
    const exports = super.exports();
    const createQuickPick = () => {
      const list = new FakePick();
      this.lists.push(list);
      return list;
    };
    const writeText = async (text: string) => {
      if (!this.mayCopy) throw new Error('NotAllowedError');
      this.copied = text;
    };
    const window = Object.create(exports['window'] as object, {
      createQuickPick: { value: createQuickPick },
    });
    return { ...exports, window, env: { appName: 'Fake', clipboard: { writeText } } };
  }
}

describe('the list of a diagnosis in an editor', () => {
  let editor = new EditorWithList();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new EditorWithList();
    editor.addFolder('/one');
    editor.addFolder('/two');
  });

  /** A diagnosis of a source that nobody has approved, and what it asked of the way to credentials. */
  const start = async () => {
    const { diagnoseConnection } = await import('../../src/diagnostics/diagnoseConnection.ts');
    const all = found({ record: undefined, outside: [envFile(full)] });
    const asked: (string | undefined)[] = [];
    const access = {
      lookUp: async () => ({ found: all, choice: choose(all) }),
      require: async (document?: { readonly path: string }) => void asked.push(document?.path),
    };
    const ended = diagnoseConnection({ access: async () => access } as unknown as App);
    await turn();
    return { asked, ended };
  };

  it('asks for the approval of what it has checked, whatever is shown by now', async () => {
    editor.activeFile = '/one/a.txt';
    const { asked, ended } = await start();
    editor.activeFile = '/two/b.txt';
    await editor.lists[0]?.pick('fix');
    await turn();
    assert.deepEqual(asked, ['/one/a.txt']);
    editor.lists[1]?.hide();
    await ended;
  });

  it('says whether the report was copied', async () => {
    const { ended } = await start();
    const [list] = editor.lists;
    editor.mayCopy = false;
    await list?.pick('copy');
    assert.ok(list?.items.some(({ label }) => label.includes('Could Not Be Copied')));
    assert.equal(editor.copied, undefined);
    editor.mayCopy = true;
    await list?.pick('copy');
    assert.ok(list?.items.some(({ label }) => label.includes('Report Copied')));
    assert.match(editor.copied ?? '', /^Hosted Model/);
    list?.hide();
    await ended;
  });
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
