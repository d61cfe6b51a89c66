import assert from 'node:assert/strict';
import fc from 'fast-check';
import { missingSettings } from '../../../src/service/credentials.ts';
import { cleanValue, type ValueFlaw } from '../../../src/service/pastedValue.ts';
import type { SettingName } from '../../../src/service/service.ts';
import { ibm } from './fixtures.ts';

describe('missing settings', () => {
  const names: readonly SettingName[] = ['apiKey', 'projectId', 'url'];
  for (let bits = 0; bits < 8; bits += 1) {
    const missing = names.filter((_, index) => (bits & (1 << index)) !== 0);
    const filled = (name: SettingName) => (missing.includes(name) ? '' : `value-of-${name}`);

    it(`A03: are exactly the empty settings: [${missing.join(', ')}]`, () => {
      const values = { apiKey: filled('apiKey'), projectId: filled('projectId') };
      assert.deepEqual(missingSettings(ibm, { ...values, url: filled('url') }), missing);
    });
  }

  it('A04: include settings with only whitespace, empty quotes, or a placeholder', () => {
    const values = { apiKey: ' \t', projectId: '""', url: '<URL>' };
    assert.deepEqual(missingSettings(ibm, values), names);
  });
});

describe('cleaning a value', () => {
  const cases: readonly [string, string, readonly ValueFlaw[]][] = [
    ['abc-123_X', 'abc-123_X', []],
    [' abc ', 'abc', ['whitespace']],
    ['abc\n', 'abc', ['whitespace']],
    ['\u00a0abc', 'abc', ['whitespace']],
    ['"abc"', 'abc', ['quotes']],
    ["'abc'", 'abc', ['quotes']],
    ['`abc`', 'abc', ['quotes']],
    [' "abc" ', 'abc', ['whitespace', 'quotes']],
    ['" abc "', 'abc', ['quotes']],
    ['Bearer abc', 'abc', ['bearer']],
    ['bearer  abc', 'abc', ['bearer']],
    ['"Bearer abc"', 'abc', ['quotes', 'bearer']],
    ['Bearer "abc"', 'abc', ['quotes', 'bearer']],
    ['"abc', 'abc', ['quotes']],
    ["abc'", 'abc', ['quotes']],
    [`'"abc"'`, 'abc', ['quotes']],
    ['" \u200babc"', 'abc', ['control', 'quotes']],
    ['ab\u200bc', 'abc', ['control']],
    ['ab\u0000c', 'abc', ['control']],
    ['ab\u202ec', 'abc', ['control']],
    ['\ufeffabc', 'abc', ['whitespace']],
    ['abc\u200b ', 'abc', ['whitespace', 'control']],
    ['clé', 'clé', ['non-ascii']],
    ['аbc', 'аbc', ['non-ascii']],
    ['<API_KEY>', '', ['placeholder']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: tests an unexpanded variable
    ['${API_KEY}', '', ['placeholder']],
    ['your_api_key_here', '', ['placeholder']],
    ['YOUR-PROJECT-ID', '', ['placeholder']],
    ['xxxx', '', ['placeholder']],
    ['****', '', ['placeholder']],
    ['changeme', '', ['placeholder']],
    ['YOUR_IBM_API_KEY', '', ['placeholder']],
    ['your-ibm-cloud-api-key', '', ['placeholder']],
    ['your-api-key-here', '', ['placeholder']],
    ['my_project_id', '', ['placeholder']],
    ['replace_me', '', ['placeholder']],
    ['change-me', '', ['placeholder']],
    ['[API_KEY]', '', ['placeholder']],
    ['{{API_KEY}}', '', ['placeholder']],
    ['"<API_KEY>"', '', ['quotes', 'placeholder']],
    ['', '', []],
    ['   ', '', ['whitespace']],
    ['bearerabc', 'bearerabc', []],
    ['xx', 'xx', []],
    ['youribmcloudapikeyY0urKey', 'youribmcloudapikeyY0urKey', []],
    ['api-key-of-mine', 'api-key-of-mine', []],
  ];
  for (const [text, value, flaws] of cases) {
    it(`turns ${JSON.stringify(text)} into ${JSON.stringify(value)}, and reports [${flaws.join(', ')}]`, () => {
      assert.deepEqual(cleanValue(text), { value, flaws });
    });
  }

  it('never mistakes a random key or UUID for a placeholder', () => {
    const characters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_'];
    const keys = fc.string({
      unit: fc.constantFrom(...characters),
      minLength: 44,
      maxLength: 44,
    });
    const isKept = (text: string) => !cleanValue(text).flaws.includes('placeholder');
    fc.assert(fc.property(fc.oneof(keys, fc.uuid()), isKept));
  });

  it("doesn't change a value that is already clean", () => {
    for (const [text] of cases) {
      const { value } = cleanValue(text);
      assert.equal(cleanValue(value).value, value);
    }
  });
});
