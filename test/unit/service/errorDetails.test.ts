import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { inferenceFailure } from '../../../src/service/api/watsonxFailure.ts';
import { identityFailure } from '../../../src/service/auth/identityFailure.ts';
import {
  INPUT_ARGUMENT,
  isKnownCode,
  KIND_BY_CODE,
  KIND_BY_IDENTITY_CODE,
  REQUEST_ENTITY,
} from '../../../src/service/errors.ts';
import { recordings } from '../../emulator/recordings.ts';

/**
 * The rows of the error details table in docs/skills.md. Each row contains its details, its
 * statuses, and the known codes and quoted strings in the details.
 */
const [, section = ''] = readFileSync('docs/skills.md', 'utf8').split('## Error details\n');
const rows = [...section.matchAll(/^\| (?<details>[^|]+) \| (?<status>\d[^|]*) \|/gm)].map(
  ({ groups: { details = '', status = '' } = {} }) => {
    const codes = [...details.matchAll(/`(\w+)`/g)].map(([, code = '']) => code);
    const texts = [...details.matchAll(/"([^"]+)"/g)].map(([, text = '']) => text);
    const statuses = status.split(', ').map(Number);
    return { details, codes: codes.filter(isKnownCode), texts, statuses };
  },
);

function failureOf(code: string, status: number) {
  return code.startsWith('BXNIM')
    ? identityFailure({ status, text: JSON.stringify({ errorCode: code, errorMessage: '' }) })
    : inferenceFailure({ status, text: JSON.stringify({ errors: [{ code, message: '' }] }) });
}

describe('the table of error details in docs/skills.md', () => {
  it('lists each known code exactly once', () => {
    const inference = [...Object.keys(KIND_BY_CODE), INPUT_ARGUMENT, REQUEST_ENTITY];
    assert.deepEqual(
      rows.flatMap(({ codes }) => codes).toSorted(),
      [...inference, ...KIND_BY_IDENTITY_CODE.keys()].toSorted(),
    );
  });

  it('has at most one row for each error kind, with two exceptions', () => {
    const kinds = rows.flatMap(({ codes, statuses }) => {
      const all = codes.flatMap((code) => statuses.map((status) => failureOf(code, status).kind));
      const [kind, ...others] = new Set(all);
      assert.deepEqual(others, [], codes.join());
      return kind ?? [];
    });
    const repeated = kinds.filter((kind, index) => kinds.indexOf(kind) !== index);
    // `unauthorized` has several rows, because a token can fail in three ways. `bad-request` has
    // several rows, because the reason for a bad request is only in the message.
    assert.deepEqual([...new Set(repeated)].toSorted(), ['bad-request', 'unauthorized']);
  });

  it('has a row for each 401 code and a row for a 401 without a code', () => {
    const rejections = rows.filter(({ statuses }) => statuses.includes(401));
    const known = Object.keys(KIND_BY_CODE);
    assert.deepEqual(
      rejections.map(({ codes }) => codes),
      [...known.filter((code) => KIND_BY_CODE[code] === 'unauthorized').map((code) => [code]), []],
    );
    for (const { codes, texts } of rejections) {
      const [code] = codes;
      const bodies = [
        ...codes.map((one) => ({ errors: [{ code: one, message: '' }] })),
        ...texts.map((description) => ({ code: 401, message: '', description })),
      ];
      assert.ok(bodies.length > 0);
      for (const body of bodies) {
        const failure = inferenceFailure({ status: 401, text: JSON.stringify(body) });
        assert.equal(failure.kind, 'unauthorized');
        assert.equal(failure.details.code, 'errors' in body ? code : undefined);
      }
    }
  });

  it('has a row for every recorded error response', () => {
    const failures = recordings.filter(({ response }) => response.status >= 400);
    assert.ok(failures.length >= 18);
    const noCode = rows.find(({ details }) => details === 'No code');
    for (const { name, response } of failures) {
      const body = JSON.stringify(response.json ?? response.text);
      const found = rows.some(
        ({ codes, texts, statuses }) =>
          statuses.includes(response.status) &&
          [...codes, ...texts].some((word) => body.includes(word)),
      );
      const isPage = response.json === undefined && response.status >= 500;
      assert.ok(found || (isPage && noCode?.statuses.includes(response.status)), name);
    }
  });
});
