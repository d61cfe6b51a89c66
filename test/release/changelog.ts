/**
 * Reads and updates the changelog, which follows keepachangelog.com. Doesn't use a library, because
 * a release only adds one heading. A library would also parse entries and dates, and rewrite the
 * whole file.
 */

const UNRELEASED = /^## \[?Unreleased\]?[ \t]*\r?\n/m;
const ENTRY = /^[-*] /m;
/** If all changes are under these headings, the next version is a patch. */
const OF_PATCHES: ReadonlySet<string> = new Set(['Fixed', 'Security']);
/** The heading under which breaking changes are listed. */
const BREAKING = 'Removed';

/**
 * Returns the next version. It's a patch if all changes are under *Fixed* or *Security*. From 1.0.0
 * on, it's a major version if there is a change under *Removed*. Otherwise, it's a minor version.
 * @returns an error if there is nothing to release or if `version` isn't of the form 1.2.3
 */
export function nextVersion(changelog: string, version: string): string | Error {
  const section = unreleasedIn(changelog);
  if (!ENTRY.test(section)) return new Error('CHANGELOG.md has nothing under "Unreleased".');
  if (!/^\d+\.\d+\.\d+$/.test(version))
    return new Error(`“${version}” isn’t a version such as 1.2.3.`);
  const headings = headingsOf(section);
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (headings.every((heading) => OF_PATCHES.has(heading))) return `${major}.${minor}.${patch + 1}`;
  const isMajor = major > 0 && headings.includes(BREAKING);
  return isMajor ? `${major + 1}.0.0` : `${major}.${minor + 1}.0`;
}

/**
 * Returns the changelog with the unreleased changes moved under a heading for this version.
 * @param day the release date as YYYY-MM-DD
 */
export function released(changelog: string, version: string, day: string): string {
  return changelog.replace(UNRELEASED, (heading) => `${heading}\n## ${version} - ${day}\n`);
}

function unreleasedIn(changelog: string): string {
  const [, after = ''] = changelog.split(UNRELEASED);
  const [section = ''] = after.split(/^## /m);
  return section;
}

/**
 * Returns the headings that have entries. If there are entries before the first heading, the result
 * also contains an empty string.
 */
function headingsOf(section: string): string[] {
  const parts = section.split(/^### /m).map((part, index) => (index === 0 ? `\n${part}` : part));
  const filled = parts.filter((part) => ENTRY.test(part));
  return filled.map((part) => part.split('\n', 1)[0]?.trim() ?? '');
}
