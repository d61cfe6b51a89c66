import assert from 'node:assert/strict';
import { nextVersion, released } from '../../release/changelog.ts';

const changelog = (unreleased: string) =>
  `# Changelog\n\n## Unreleased\n${unreleased}\n## 0.3.4 - 2026-01-02\n\n### Removed\n\n- Old.\n`;

describe('the next version', () => {
  for (const [what, unreleased, version, expected] of [
    ['is a minor one where something is new', '\n- New.\n', '0.3.4', '0.4.0'],
    ['so under a heading', '\n### Added\n\n- New.\n\n### Fixed\n\n- Mended.\n', '0.3.4', '0.4.0'],
    ['is a patch where all is mended', '\n### Fixed\n\n- Mended.\n', '0.3.4', '0.3.5'],
    ['so for weaknesses', '\n### Security\n\n- Closed.\n\n### Fixed\n\n- A.\n', '1.3.4', '1.3.5'],
    ['counts no empty heading', '\n### Added\n\n### Fixed\n\n- Mended.\n', '0.3.4', '0.3.5'],
    ['is a minor one before 1.0.0 whatever goes', '\n### Removed\n\n- Gone.\n', '0.3.4', '0.4.0'],
    ['is a major one from then on', '\n### Removed\n\n- Gone.\n', '1.3.4', '2.0.0'],
  ] as const) {
    it(`${what}: ${version} → ${expected}`, () => {
      assert.equal(nextVersion(changelog(unreleased), version), expected);
    });
  }

  it('is refused where nothing is to be released', () => {
    for (const text of [changelog(''), changelog('\n### Added\n'), '# Changelog\n']) {
      assert.match(String(nextVersion(text, '0.3.4')), /nothing under "Unreleased"/);
    }
  });

  it('reads the heading as others write it, and no version that it cannot count on from', () => {
    const text = changelog('\n* New.\n').replace('## Unreleased', '## [Unreleased] ');
    assert.equal(nextVersion(text, '0.3.4'), '0.4.0');
    assert.match(released(text, '0.4.0', '2026-03-04'), /Unreleased\] \n\n## 0\.4\.0 - 2026/);
    assert.match(String(nextVersion(text, '0.4.0-beta.1')), /no plain version/);
  });

  it('gets the changes, with its day, and leaves an empty section above', () => {
    const text = released(changelog('\n- New.\n'), '0.4.0', '2026-03-04');
    assert.ok(text.startsWith('# Changelog\n\n## Unreleased\n\n## 0.4.0 - 2026-03-04\n\n- New.\n'));
    assert.match(String(nextVersion(text, '0.4.0')), /nothing under "Unreleased"/);
  });
});
