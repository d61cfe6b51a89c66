import assert from 'node:assert/strict';
import fc from 'fast-check';
import { modelHint, modelRows } from '../../../src/commands/modelRows.ts';
import { seed } from '../service/fixtures.ts';
import { modelOf, stageOf } from '../service/modelFixtures.ts';

const today = '2026-11-21';
const full = modelOf({
  id: 'ibm/granite-3-3-8b-instruct',
  label: 'granite-3-3-8b-instruct',
  provider: 'IBM',
  description: 'General use',
  contextLength: 131_072,
  lifecycle: [
    stageOf('available', '2025-04-01'),
    stageOf('deprecated', '2026-09-01', 'ibm/granite-4-h-small'),
    stageOf('withdrawn', '2027-01-15', 'ibm/granite-4-h-small'),
  ],
});
const hostile = `a\n\r\u2028b $(trash) \u202Ec\u2066 \u0000\u200F\u{13430}\ud800${'😀'.repeat(5_000)}`;

describe('the rows in Select Model', () => {
  const lifeOf = (...lifecycle: ReturnType<typeof stageOf>[]) =>
    modelRows([modelOf({ lifecycle })], '')[0]?.detail;

  it("show a model's label, ID, lifecycle, provider, context length, and description", () => {
    assert.deepEqual(modelRows([full], 'another'), [
      {
        id: 'ibm/granite-3-3-8b-instruct',
        label: 'granite-3-3-8b-instruct',
        description: 'ibm/granite-3-3-8b-instruct',
        detail:
          'deprecated, will be withdrawn on 2027-01-15, successor ibm/granite-4-h-small · IBM · 131,072-token context · General use',
      },
    ]);
  });

  it('omit details that are missing or invalid', () => {
    const models = [modelOf({ id: 'a', label: '\n' })];
    assert.deepEqual(modelRows(models, '')[0], {
      id: 'a',
      label: 'a',
      description: '',
      detail: '',
    });
    assert.equal(lifeOf(), '');
    assert.equal(lifeOf(stageOf('available', '2025-01-01')), '');
    assert.equal(lifeOf(stageOf('withdrawn', 'soon'), stageOf('$(x) y', '2025-01-01')), '');
  });

  it("show a model's lifecycle and successors", () => {
    assert.equal(
      lifeOf(stageOf('withdrawn', today, 'm/b')),
      `withdrawn on ${today}, successor m/b`,
    );
    assert.equal(lifeOf(stageOf('withdrawn', '2027-01-01')), 'will be withdrawn on 2027-01-01');
    assert.equal(lifeOf(stageOf('deprecated', '2027-01-01')), 'will be deprecated on 2027-01-01');
    assert.equal(lifeOf(stageOf('constricted', '2026-01-01')), 'constricted');
    assert.equal(lifeOf(stageOf('constricted', '2027-01-01')), '');
    assert.equal(
      lifeOf(
        stageOf('deprecated', today, 'm/a', 'm/b', 'm/c', 'm/d'),
        stageOf('withdrawn', today, 'm/b'),
      ),
      `withdrawn on ${today}, successors m/b, m/a, m/c`,
    );
  });

  it("describe lifecycle changes as past or upcoming according to the service's clock", () => {
    const lifecycle = [stageOf('withdrawn', today), stageOf('constricted', today)];
    const detailAt = (asOf: string | undefined) =>
      modelRows([modelOf({ lifecycle, asOf })], '')[0]?.detail;
    assert.equal(detailAt('2026-11-20'), `will be withdrawn on ${today}`);
    assert.equal(detailAt(undefined), `will be withdrawn on ${today}`);
    assert.equal(detailAt(today), `constricted, withdrawn on ${today}`);
  });

  it('start with the current model, marked with text and an icon', () => {
    const models = [modelOf({ id: 'a' }), { ...full }, modelOf({ id: 'c', label: 'C' })];
    const [first] = modelRows(models, 'c');
    assert.deepEqual([first?.label, first?.description], ['C $(check)', 'c · current model']);
    assert.equal(modelRows(models, full.id)[0]?.id, full.id, 'even a model that will be withdrawn');
  });

  it('end with models that are deprecated or will be withdrawn', () => {
    const ending = (id: string, ...lifecycle: ReturnType<typeof stageOf>[]) =>
      modelOf({ id, lifecycle });
    const models = [
      ending('goes', stageOf('withdrawn', '2027-01-01')),
      ending('z'),
      ending('deprecated', stageOf('deprecated', today)),
      ending('later', stageOf('deprecated', '2027-01-01')),
      ending('a'),
    ];
    assert.deepEqual(
      modelRows(models, '').map(({ id }) => id),
      ['z', 'later', 'a', 'goes', 'deprecated'],
    );
  });

  it('F10: show hostile text as a short line of plain text', () => {
    const model = modelOf({ label: hostile, provider: hostile, description: hostile });
    const [row] = modelRows([{ ...model, lifecycle: full.lifecycle }], '');
    assert.match(row?.label ?? '', /^a b \$ \(trash\) c 😀+…$/u);
    assert.ok((row?.label ?? '').length <= 120);
    assert.match(
      row?.detail ?? '',
      /will be withdrawn on 2027-01-15, successor ibm\/granite-4-h-small · /,
    );
    assert.ok((row?.detail ?? '').length <= 320);
  });

  it(`F10: contain no markup or control characters (seed ${seed})`, () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 150 }),
      fc.string({
        unit: fc.constantFrom('$', '(', ')', 'x', '\n', '\u202E', '😀'),
        maxLength: 150,
      }),
    );
    fc.assert(
      fc.property(text, text, text, text, (label, provider, description, stage) => {
        const lifecycle = [stageOf(stage, today), stageOf('deprecated', description)];
        const model = modelOf({ label, provider, description, lifecycle });
        for (const row of modelRows([model], '')) {
          for (const line of [row.label, row.detail, modelHint([], label)]) {
            assert.doesNotMatch(line, /[\p{C}\p{Zl}\p{Zp}]|\$\(/u);
          }
        }
      }),
      { seed },
    );
  });
});

describe('the hint in Select Model', () => {
  it('names the current model, and indicates whether it is withdrawn or unlisted', () => {
    assert.equal(modelHint([full], full.id), `Current: ${full.id}`);
    assert.equal(modelHint([full], 'mine'), 'Current: mine (not listed)');
    const over = modelOf({ id: 'old', lifecycle: [stageOf('withdrawn', today)] });
    assert.equal(modelHint([over], 'old'), 'Current: old (withdrawn)');
    assert.ok(modelHint([], hostile).length <= 160);
  });
});
