/** GitHub's way to a picture for each theme; elsewhere only the picture within it is shown. */
const THEMED = /<picture>[\s\S]*?(<img [^>]*>)\s*<\/picture>/g;
const PICTURE = /<img [^>]*\balt="([^"]*)"[^>]*>|!\[([^\]]*)\]\((?!https:)[^()\s]+\)/g;
const LINK = /\[([^[\]]*)\]\((?!#|[a-z]+:)[^()\s]+\)/g;

/**
 * A page as it goes into the package, for a marketplace and for VS Code's own page of an extension.
 * vsce makes its relative links and pictures absolute by the address of the repository. Where there
 * is none they could only be broken: a picture is then what it shows, in words, and a link its text.
 */
export function shippedPage(page: string, hasAddress: boolean): string {
  const plain = page.replaceAll(THEMED, '$1');
  if (hasAddress) return plain;
  return plain
    .replaceAll(PICTURE, (_, ofTag?: string, ofLink?: string) => `_${ofTag ?? ofLink}_`)
    .replaceAll(LINK, '$1');
}
