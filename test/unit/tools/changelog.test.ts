import assert from 'node:assert/strict';
import { nextVersion, released } from '../../release/changelog.ts';

const changelog = (unreleased: string) =>
  `# Changelog\n\n## Unreleased\n${unreleased}\n## 0.3.4 - 2026-01-02\n\n### Removed\n\n- Old.\n`;

describe('the next version', () => {
  for (const [what, unreleased, version, expected] of [
    ['is a minor version if a change has no heading', '\n- New.\n', '0.3.4', '0.4.0'],
    [
      'is a minor version if something is added',
      '\n### Added\n\n- New.\n\n### Fixed\n\n- Mended.\n',
      '0.3.4',
      '0.4.0',
    ],
    ['is a patch version if there are only fixes', '\n### Fixed\n\n- Mended.\n', '0.3.4', '0.3.5'],
    [
      'is a patch version if there are security fixes',
      '\n### Security\n\n- Closed.\n\n### Fixed\n\n- A.\n',
      '1.3.4',
      '1.3.5',
    ],
    ['ignores empty headings', '\n### Added\n\n### Fixed\n\n- Mended.\n', '0.3.4', '0.3.5'],
    [
      'is a minor version before 1.0.0 if something is removed',
      '\n### Removed\n\n- Gone.\n',
      '0.3.4',
      '0.4.0',
    ],
    [
      'is a major version from 1.0.0 on if something is removed',
      '\n### Removed\n\n- Gone.\n',
      '1.3.4',
      '2.0.0',
    ],
  ] as const) {
    it(`${what}: ${version} → ${expected}`, () => {
      assert.equal(nextVersion(changelog(unreleased), version), expected);
    });
  }

  it("can't be derived if there is nothing to release", () => {
    for (const text of [changelog(''), changelog('\n### Added\n'), '# Changelog\n']) {
      assert.match(String(nextVersion(text, '0.3.4')), /nothing under "Unreleased"/);
    }
  });

  it('can be derived if the heading is in brackets, but not if the current version is a prerelease', () => {
    const text = changelog('\n* New.\n').replace('## Unreleased', '## [Unreleased] ');
    assert.equal(nextVersion(text, '0.3.4'), '0.4.0');
    assert.match(released(text, '0.4.0', '2026-03-04'), /Unreleased\] \n\n## 0\.4\.0 - 2026/);
    assert.match(String(nextVersion(text, '0.4.0-beta.1')), /isn’t a version/);
  });

  it('gets a dated section below an empty section for unreleased changes', () => {
    const text = released(changelog('\n- New.\n'), '0.4.0', '2026-03-04');
    assert.ok(text.startsWith('# Changelog\n\n## Unreleased\n\n## 0.4.0 - 2026-03-04\n\n- New.\n'));
    assert.match(String(nextVersion(text, '0.4.0')), /nothing under "Unreleased"/);
  });
});
