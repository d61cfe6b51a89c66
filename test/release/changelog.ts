/**
 * What the changelog says of a release. It keeps to keepachangelog.com, of which a library would read
 * entries and dates, too, and write the whole file anew: here two lines of it count.
 */

const UNRELEASED = /^## \[?Unreleased\]?[ \t]*\r?\n/m;
const ENTRY = /^[-*] /m;
/** Headings under which nothing is new: what is there already is mended. */
const OF_PATCHES: ReadonlySet<string> = new Set(['Fixed', 'Security']);
/** Under it stands what breaks the work of somebody. */
const BREAKING = 'Removed';

/**
 * The version that the changes since the last one ask for: a patch where all of them stand under
 * *Fixed* or *Security*, a major one where something stands under *Removed* from 1.0.0 on, else a
 * minor one.
 * @returns an error where nothing is to be released, or the last version is no plain one
 */
export function nextVersion(changelog: string, version: string): string | Error {
  const section = unreleasedIn(changelog);
  if (!ENTRY.test(section)) return new Error('CHANGELOG.md has nothing under "Unreleased".');
  if (!/^\d+\.\d+\.\d+$/.test(version)) return new Error(`${version} is no plain version.`);
  const headings = headingsOf(section);
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (headings.every((heading) => OF_PATCHES.has(heading))) return `${major}.${minor}.${patch + 1}`;
  const isMajor = major > 0 && headings.includes(BREAKING);
  return isMajor ? `${major + 1}.0.0` : `${major}.${minor + 1}.0`;
}

/**
 * The changelog once this version is out.
 * @param day YYYY-MM-DD
 */
export function released(changelog: string, version: string, day: string): string {
  return changelog.replace(UNRELEASED, (heading) => `${heading}\n## ${version} - ${day}\n`);
}

function unreleasedIn(changelog: string): string {
  const [, after = ''] = changelog.split(UNRELEASED);
  const [section = ''] = after.split(/^## /m);
  return section;
}

/** Those that have an entry; empty for entries under none. */
function headingsOf(section: string): string[] {
  const parts = section.split(/^### /m).map((part, index) => (index === 0 ? `\n${part}` : part));
  const filled = parts.filter((part) => ENTRY.test(part));
  return filled.map((part) => part.split('\n', 1)[0]?.trim() ?? '');
}
