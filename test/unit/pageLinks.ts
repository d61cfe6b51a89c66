import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where links and pictures of a page lead, wherever they stand in it. */
export function linksIn(page: string): string[] {
  const text = withoutCode(page);
  const found = text.matchAll(/\]\(([^()\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g);
  return [...found].flatMap(([, link, other]) => link ?? other ?? []);
}

/** Whether a relative link of this file leads to a file, and to a heading of it where it names one. */
export function leadsSomewhere(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (!existsSync(path)) return false;
  return anchor === undefined || anchorsIn(readFileSync(path, 'utf8')).includes(anchor);
}

/** Of its headings, as GitHub and VS Code make them. */
export function anchorsIn(page: string): string[] {
  const headings = withoutCode(page, /^```[\s\S]*?^```$/gm).matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What stands in code is shown as it is. */
function withoutCode(page: string, code = /^```[\s\S]*?^```$|`[^`\n]+`/gm): string {
  return page.replaceAll(code, '');
}
