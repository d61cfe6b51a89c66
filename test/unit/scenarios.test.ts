import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** The named scenarios of the threat model that a release stands on, each proved by a test. */
const scenarios = {
  'credentials and binding':
    'A01 A02 A03 A04 A05 A06 A07 A08 A09 A10 A11 A12 A13 A14 A15 A17 A18 A19',
  'hostile workspace, .env and environment':
    'B01 B03 B04 B05 B06 B07 B08 B09 B11 B12 B13 B14 B16 B17 B18 B19 B20 B22 B23 B24 B25',
  'editor safety':
    'J01 J02 J04 J05 J06 J07 J08 J09 J10 J11 J12 J13 J14 J15 J17 J18 J21 J22 J23 J24 J25 J26 J27 J29 J31 J33',
  transport: 'C01 C02 C04 C05 C06 C08 C09 C11 C12 C13 C15 C16 C17',
  'hostile answers': 'D01 D02 D03 D04 D06 D08 D09 D11 D12 D13 D14 D15 D17 D18 D19 D20 D21 D22 D23',
  'leak sinks': 'E01 E02 E04 E05 E06 E07 E10 E11 E12 E13 E14',
  'text of others in the interface': 'F01 F03 F04 F05 F06 F07 F08 F10 F11 F12',
  'supply chain and package': 'L01 L02 L04 L05 L06 L08 L09 L11 L12',
  'random input': 'M01 M02 M03 M04 M05 M06',
  'commands and what others can reach': 'G01 G04 G05 G06 G13 G14',
  'life of a token':
    'H01 H02 H03 H04 H06 H07 H08 H09 H10 H13 H14 H15 H16 H17 H18 H19 H20 H21 H23 H24 H25 H27 H28 H29 H30 H32',
  'retries and requests in flight':
    'I01 I02 I03 I04 I07 I08 I09 I10 I12 I13 I15 I16 I17 I18 I19 I20 I22 I24 I25 I26',
  'life of a window, and soak': 'K01 K02 K04 K05 K06 K07 K09 K10 K12 K13 K14 K15 K16 M08',
};

/** Where the tests of VS Code are: nobody but its extension host can load them. */
const IN_HOST = 'test/host/*.test.ts';

/**
 * The titles of all tests, as mocha has them once it has loaded every file and run none; of those
 * in the host what stands in their sources as a title.
 */
async function titles(): Promise<string[]> {
  const files = globSync('test/**/*.test.ts', { exclude: [IN_HOST] });
  const options = ['--dry-run', '--reporter', 'json'];
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['node_modules/mocha/bin/mocha.js', ...options, ...files],
    { env, maxBuffer: 64 * 1_048_576 },
  );
  const { tests } = JSON.parse(stdout) as { readonly tests: readonly { readonly title: string }[] };
  const ofHost = globSync(IN_HOST).flatMap((path) => {
    const found = readFileSync(path, 'utf8').matchAll(/^ *(?:it|describe)\(\s*(['"`])(.*)\1/gm);
    return [...found].map(([, , title = '']) => title);
  });
  return [...tests.map(({ title }) => title), ...ofHost];
}

/** A title names its scenarios before a colon. */
function namedIn(title: string): string[] {
  return /^((?:[A-M]\d\d )*[A-M]\d\d): /.exec(title)?.[1]?.split(' ') ?? [];
}

describe('the scenarios of the threat model', function () {
  this.timeout(120_000);
  let named: ReadonlySet<string>;
  before(async () => {
    named = new Set((await titles()).flatMap(namedIn));
  });

  for (const [group, ids] of Object.entries(scenarios)) {
    it(`of ${group} have a test each`, () => {
      assert.deepEqual(
        ids.split(' ').filter((id) => !named.has(id)),
        [],
      );
    });
  }

  it('are named by titles of tests alone', () => {
    assert.deepEqual(namedIn('A01 A02: is a title'), ['A01', 'A02']);
    assert.deepEqual(namedIn('tells A01: of other text'), []);
  });
});
