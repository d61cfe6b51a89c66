import assert from 'node:assert/strict';
import { shownCheck, TITLES } from '../../../src/diagnose/checkMessages.ts';
import type { MessageContext } from '../../../src/messages/failureContext.ts';
import { serviceFor, services } from '../../../src/service/builtInServices.ts';
import { CHECKS, type CheckResult } from '../../../src/service/checks/connectionChecks.ts';
import { ServiceError } from '../../../src/service/errors.ts';

const shown = (result: CheckResult) => shownCheck(result).text;

describe('the checks', () => {
  it('have a fixed order and unique titles', () => {
    assert.deepEqual(Object.keys(TITLES), ['settings', 'syntax', 'hosts', ...CHECKS]);
    assert.equal(new Set(Object.values(TITLES)).size, Object.keys(TITLES).length);
  });
});

describe('the check messages', () => {
  it('are defined for passed checks and warnings, but not for running checks', () => {
    for (const check of CHECKS) {
      for (const state of ['passed', 'warning'] as const) {
        const text = shown({ check, state, facts: {} });
        assert.match(text, /^[A-Z].*\.$/, check);
        assert.doesNotMatch(text, /undefined|NaN/);
      }
      assert.equal(shown({ check, state: 'running' }), '');
    }
  });

  const ahead = (minutes: number) =>
    shown({ check: 'clock', state: 'warning', facts: { clockAheadMs: minutes * 60_000 } });
  const rest = 'Tokens still work, but certificate checks may fail. Correct the clock.';
  for (const [minutes, text] of [
    [7, `Your machine’s clock is 7 minutes ahead of the identity service’s clock. ${rest}`],
    [-600, `Your machine’s clock is 10 hours behind the identity service’s clock. ${rest}`],
    [1, 'Your machine’s clock is 1 minute ahead of the identity service’s clock.'],
    [4_320, `Your machine’s clock is 3 days ahead of the identity service’s clock. ${rest}`],
    [-1_051_200, `Your machine’s clock is 2 years behind the identity service’s clock. ${rest}`],
    [0.5, 'Your machine’s clock matches the identity service’s clock.'],
  ] as const) {
    it(`describe a clock offset of ${minutes} min`, () => assert.equal(ahead(minutes), text));
  }

  it("describe a token's lifetime and the request limit", () => {
    const life = (lifeMs: number) => shown({ check: 'token', state: 'passed', facts: { lifeMs } });
    assert.match(life(3_599_000), /valid for 60 minutes\.$/);
    assert.match(life(60_000), /valid for 1 minute\.$/);
    assert.match(life(9_000), /valid for less than a minute\.$/);
    const limit = (perSecond: number, left: number | undefined) =>
      shown({
        check: 'request-limit',
        state: 'passed',
        facts: { requestLimit: { perSecond, left } },
      });
    assert.equal(limit(8, 7), '8 requests per second, 7 left.');
    assert.equal(limit(1, undefined), '1 request per second.');
  });

  it("describe a model's deprecation or withdrawal", () => {
    const fate = (stage: 'deprecated' | 'withdrawn', withdrawn: string | undefined) => {
      const others = { others: [], successors: ['maker/next'] };
      const model = { stage, deprecated: '2026-09-01', withdrawn, ...others };
      return shown({ check: 'access', state: 'warning', facts: { model } });
    };
    assert.match(fate('deprecated', '2027-01-15'), /will be withdrawn on 2027-01-15/);
    assert.match(
      fate('deprecated', undefined),
      /deprecated since 2026-09-01.*suggests maker\/next/,
    );
    assert.match(fate('withdrawn', '2026-10-01'), /was withdrawn on 2026-10-01/);
  });

  it('list only the values that the service has checked', () => {
    const accepted = (context: MessageContext) =>
      shownCheck({ check: 'access', state: 'passed', facts: {} }, context).text;
    const [service, gateway] = services;
    assert.equal(accepted({ service }), 'The token, project, and model were accepted.');
    assert.equal(
      accepted({ service, resource: 'deployment' }),
      'The token and deployment were accepted.',
    );
    assert.ok(gateway);
    const unproven = 'To test the model, generate some text.';
    assert.equal(accepted({ service: gateway }), `The token was accepted. ${unproven}`);
    const unlisted = { check: 'access', state: 'warning', facts: { isUnchecked: true } } as const;
    assert.equal(
      shownCheck(unlisted, { service: gateway }).text,
      'The service has no model list. To test the connection, generate some text.',
    );
    const zen = serviceFor('zen') ?? assert.fail();
    assert.equal(accepted({ service: zen }), 'The key, project, and model were accepted.');
  });

  it("include a failure's cause, first suggested fix, error kind, and status", () => {
    const error = new ServiceError('quota-used-up', { status: 403 });
    const check = shownCheck({ check: 'access', state: 'failed', error });
    assert.match(check.text, /Your plan’s quota is used up/);
    assert.deepEqual([check.fix, check.facts], ['retry', 'quota-used-up (status 403)']);
  });
});
