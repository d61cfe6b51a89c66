import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ShownCheck } from '../../src/ui/diagnosisView.ts';
import { preliminaryChecks } from '../../src/ui/preliminaryChecks.ts';
import { causes, causesTable, shapeOf } from './causes.ts';
import { fixtures } from './resolutions.ts';

const nothing = { blemishes: [], unusable: undefined };
const all: readonly (readonly [string, ShownCheck])[] = Object.entries(causes);

describe('the causes that a diagnosis names', () => {
  it('each have a sentence of their own', () => {
    const shapes = all.map(([, check]) => shapeOf(check));
    assert.deepEqual(
      shapes.filter((shape, index) => shapes.indexOf(shape) !== index),
      [],
    );
  });

  for (const [cause, { text, fix, state }] of all) {
    it(`say what to do about: ${cause}`, () => {
      assert.match(text, /^[A-Za-z0-9].*\.$/);
      assert.ok(text.length <= 220, `${text.length}: ${text}`);
      assert.ok(state === 'failed' || state === 'warning');
      assert.notEqual(fix, 'diagnose', 'a diagnosis does not lead to itself');
    });
  }

  it('are what the README says', () => {
    assert.ok(readFileSync('README.md', 'utf8').includes(causesTable()), 'run: npm run readme');
  });
});

describe('what is said before anything is sent', () => {
  const states = (checks: readonly ShownCheck[]) => checks.map(({ state }) => state);

  it('names source and hosts where all is well, and no secret', () => {
    const checks = preliminaryChecks(fixtures.ready, nothing);
    assert.deepEqual(states(checks), ['passed', 'passed', 'passed']);
    const { apiKey, projectId } = fixtures.ready.credentials;
    const text = JSON.stringify(checks);
    assert.match(text, /secret storage.*key goes to iam\.cloud\.ibm\.com, text to us-south/);
    assert.ok(!text.includes(apiKey) && !text.includes(projectId));
  });

  it('stops where the rest would tell nothing', () => {
    const { missing, badAddress, unapproved, ready } = fixtures;
    assert.deepEqual(states(preliminaryChecks(missing, nothing)), ['failed', 'not-run', 'not-run']);
    assert.deepEqual(states(preliminaryChecks(badAddress, nothing)), [
      'passed',
      'failed',
      'not-run',
    ]);
    assert.deepEqual(states(preliminaryChecks(unapproved, nothing)), [
      'passed',
      'passed',
      'failed',
    ]);
    const unusable = { setting: 'apiKey', text: 'A key has no blanks.' } as const;
    const [, syntax] = preliminaryChecks(ready, { ...nothing, unusable });
    assert.deepEqual([syntax?.state, syntax?.fix], ['failed', 'setApiKey']);
  });

  it('goes on where a value was only written badly', () => {
    const checks = preliminaryChecks(fixtures.ready, {
      ...nothing,
      blemishes: [['url', ['blanks', 'quotes']]],
    });
    assert.deepEqual(states(checks), ['passed', 'warning', 'passed']);
    assert.match(
      checks[1]?.text ?? '',
      /The service URL has blanks around it and stands in quotes/,
    );
  });
});
