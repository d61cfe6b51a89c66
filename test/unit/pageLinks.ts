import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns the targets of the links and images on a page. */
export function linksIn(page: string): string[] {
  const text = withoutCode(page);
  const found = text.matchAll(/\]\(([^()\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g);
  return [...found].flatMap(([, link, other]) => link ?? other ?? []);
}

/**
 * True if the target file of a relative link exists and, if the link names a heading, contains this
 * heading.
 */
export function leadsSomewhere(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (!existsSync(path)) return false;
  return anchor === undefined || anchorsIn(readFileSync(path, 'utf8')).includes(anchor);
}

/** Returns the anchors of the headings on a page, as GitHub and VS Code generate them. */
export function anchorsIn(page: string): string[] {
  const headings = withoutCode(page, /^```[\s\S]*?^```$/gm).matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Removes code, because links and headings in code aren't rendered. */
function withoutCode(page: string, code = /^```[\s\S]*?^```$|`[^`\n]+`/gm): string {
  return page.replaceAll(code, '');
}
