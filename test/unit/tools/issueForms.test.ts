import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { load } from 'js-yaml';
import manifest from '../../../package.json' with { type: 'json' };
import { filesIn } from '../../filesIn.ts';

/** GitHub's syntax for issue forms: https://docs.github.com/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-issue-forms */
interface Form {
  readonly name: string;
  readonly description: string;
  readonly labels: readonly string[];
  readonly body: readonly Element[];
}

interface Element {
  readonly type: string;
  readonly id?: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly validations?: { readonly required: boolean };
}

const read = (path: string) => load(readFileSync(path, 'utf8'));
const paths = filesIn('.github/ISSUE_TEMPLATE/*.yml');
const forms = new Map(
  paths
    .filter((path) => basename(path) !== 'config.yml')
    .map((path) => [basename(path, '.yml'), read(path) as Form]),
);

/** Returns the form's question with this ID if an answer is required, and undefined otherwise. */
const required = (form: string, id: string) =>
  forms.get(form)?.body.find((one) => one.id === id && one.validations?.required);

describe('the issue forms', () => {
  it("have GitHub's required fields, and are the only way to open issues", () => {
    assert.deepEqual([...forms.keys()].sort(), ['bug', 'idea', 'live']);
    assert.deepEqual(read('.github/ISSUE_TEMPLATE/config.yml'), { blank_issues_enabled: false });
    for (const [path, { name, description, labels, body, ...others }] of forms) {
      assert.ok(name && description && labels.length > 0, path);
      assert.deepEqual(others, {}, path);
      const ids = body.flatMap(({ id = [] }) => id);
      assert.equal(new Set(ids).size, ids.length, path);
      for (const { type, id, attributes } of body) {
        const needed = type === 'markdown' ? attributes['value'] : id && attributes['label'];
        assert.ok(['markdown', 'textarea', 'input'].includes(type) && needed, `${path} ${id}`);
      }
    }
  });

  it('require a diagnostic report for bugs, and test output for live tests', () => {
    const titles = manifest.contributes.commands.map(({ title }) => title);
    assert.ok(titles.includes('Diagnose Connection'));
    const { label, description } = required('bug', 'report')?.attributes ?? {};
    assert.equal(label, 'Diagnose Connection');
    assert.match(description ?? '', /Hosted Model: Diagnose Connection_.*_Copy Report_/);
    assert.match(required('live', 'output')?.attributes['label'] ?? '', /npm run test:live/);
    assert.ok('test:live' in manifest.scripts);
  });

  it('warn against pasting keys before they ask for a report or output', () => {
    for (const form of ['bug', 'live']) {
      const [first] = forms.get(form)?.body ?? [];
      assert.match(first?.attributes['value'] ?? '', /Never paste .* key/);
    }
  });
});
