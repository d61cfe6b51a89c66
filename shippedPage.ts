/** GitHub's markup for a picture per theme. Other pages show only the `<img>` in it. */
const THEMED = /<picture>[\s\S]*?(<img [^>]*>)\s*<\/picture>/g;
const PICTURE = /<img [^>]*\balt="([^"]*)"[^>]*>|!\[([^\]]*)\]\((?!https:)[^()\s]+\)/g;
const LINK = /\[([^[\]]*)\]\((?!#|[a-z]+:)[^()\s]+\)/g;

/**
 * Converts a page for the package. Marketplaces and VS Code show it on the page of the extension.
 * vsce makes relative links and pictures absolute with the address of the repository. Without an
 * address they would be broken, so a picture becomes its alt text, and a link becomes its text.
 */
export function shippedPage(page: string, hasAddress: boolean): string {
  const plain = page.replaceAll(THEMED, '$1');
  if (hasAddress) return plain;
  return plain
    .replaceAll(PICTURE, (_, ofTag?: string, ofLink?: string) => `_${ofTag ?? ofLink}_`)
    .replaceAll(LINK, '$1');
}
