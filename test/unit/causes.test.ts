import assert from 'node:assert/strict';
import type { SourceSnapshot } from '../../src/connection/sourceTypes.ts';
import type { ShownCheck } from '../../src/diagnose/checkMessages.ts';
import { preliminaryChecks } from '../../src/diagnose/preliminaryChecks.ts';
import { ERROR_KINDS, type ErrorKind } from '../../src/service/errors.ts';
import { causes, kindsWithoutCause, shapeOf } from './causes.ts';
import { choiceOf, envFile, found, full, REGION, record } from './connection/sources.ts';

const approved = envFile(full, 'approved');
const all: readonly (readonly [string, ShownCheck])[] = Object.entries(causes);

describe('the causes', () => {
  it('cover every kind of error that is likely to make a check fail', () => {
    const covered = new Set(all.map(([, { facts = '' }]) => facts.split(' ')[0]));
    const kinds = Object.keys(ERROR_KINDS) as ErrorKind[];
    assert.deepEqual(
      kinds.filter((kind) => !covered.has(kind)).toSorted(),
      kindsWithoutCause.toSorted(),
      'add a cause for each new kind, or add the kind to kindsWithoutCause (test/unit/causes.ts)',
    );
  });
});

describe('each cause that a diagnosis can show', () => {
  it('has a unique message', () => {
    const shapes = all.map(([, check]) => shapeOf(check));
    assert.deepEqual(
      shapes.filter((shape, index) => shapes.indexOf(shape) !== index),
      [],
    );
  });

  for (const [cause, { text, fix, state }] of all) {
    it(`has a short message and doesn't offer another diagnosis: ${cause}`, () => {
      assert.match(text, /^[A-Za-z0-9].*\.$/);
      assert.ok(text.length <= 240, `${text.length}: ${text}`);
      assert.ok(state === 'failed' || state === 'warning');
      assert.notEqual(fix, 'diagnose', 'the fix is another diagnosis');
    });
  }
});

describe('the checks that run before anything is sent', () => {
  const checksOf = (all: SourceSnapshot) => preliminaryChecks(all, choiceOf(all));
  const statesOf = (all: SourceSnapshot) => checksOf(all).map(({ state }) => state);

  it('name the source and hosts without showing the API key or project ID', () => {
    for (const all of [found(), found({ record: undefined, external: [approved] })]) {
      assert.deepEqual(statesOf(all), ['passed', 'passed', 'passed']);
      const text = JSON.stringify(checksOf(all));
      for (const value of [record.apiKey, full.key, all.settings.projectId, full.project]) {
        assert.ok(!text.includes(value));
      }
    }
    assert.match(
      JSON.stringify(checksOf(found())),
      /secret storage.*key to iam\.cloud\.ibm\.com, text to us-south/,
    );
    assert.match(
      JSON.stringify(checksOf(found({ record: undefined, external: [approved] }))),
      /the \.env file in a.*text to evil\.example/,
    );
  });

  it('stop after the first failure', () => {
    assert.deepEqual(statesOf(found({ record: undefined })), ['failed', 'not-run', 'not-run']);
    const badAddress = found({ settings: { url: 'us-south' } });
    assert.deepEqual(statesOf(badAddress), ['passed', 'failed', 'not-run']);
    const unapproved = found({ settings: { url: full.url } });
    assert.deepEqual(statesOf(unapproved), ['passed', 'passed', 'failed']);
    const faulty = found({ record: undefined, external: [envFile({ ...full, key: "'k'" })] });
    assert.deepEqual(statesOf(faulty), ['passed', 'failed', 'not-run']);
    const [, syntax] = checksOf(found({ record: { ...record, apiKey: 'a key in parts' } }));
    assert.deepEqual([syntax?.state, syntax?.fix], ['failed', 'setUp']);
  });

  it('continue after a warning about the format of a value', () => {
    const badly = found({ settings: { url: ` "${REGION}" ` } });
    assert.deepEqual(statesOf(badly), ['passed', 'warning', 'passed']);
    assert.match(
      checksOf(badly)[1]?.text ?? '',
      /The service URL has spaces around its value and has quotes around its value\. .* corrects the value before using it/,
    );
  });
});
