import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A phrase from each full license text. A file that only refers to a license doesn't have it. */
const TERMS: Readonly<Record<string, string>> = {
  ISC: 'Permission to use, copy, modify, and/or distribute this software',
  MIT: 'Permission is hereby granted, free of charge',
  'Apache-2.0': 'TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION',
};

const HEAD =
  'This extension contains the following software, bundled and minified but otherwise unchanged.';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly repository?: string | { readonly url: string };
}

/**
 * Returns the notices that must be shipped with third-party code: the name, version, address, and
 * full license text of each package.
 * @param inputs the paths of all files in the bundle
 * @throws {Error} if the full text of a license can't be found
 */
export function noticesOf(inputs: readonly string[]): string {
  const folders = inputs.flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  const notices = [...new Set(folders)].map(noticeOf);
  // Two folders can contain the same version of a package.
  return `${[HEAD, ...[...new Set(notices)].sort()].join(`\n\n${'='.repeat(80)}\n\n`)}\n`;
}

function noticeOf(folder: string): string {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name, version, license = 'none', homepage, repository } = manifest;
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)\b/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trimEnd());
  const terms = TERMS[license];
  if (terms === undefined || !texts.some((text) => text.includes(terms))) {
    // The standard text is enough for a license that names no copyright holder. axios-retry, for
    // example, only refers to its license.
    const standard = `licenses/${license}.txt`;
    if (!existsSync(standard)) {
      throw new Error(
        `The terms of ${name} ${version} (license: ${license}) are neither in its folder nor in ${standard}.`,
      );
    }
    texts.push(readFileSync(standard, 'utf8').trimEnd());
  }
  const source = homepage ?? (typeof repository === 'object' ? repository.url : repository);
  // Expand npm's short form of an address, and replace a protocol that hosts no longer support.
  const link = source
    ?.replace(/^[\w.-]+\/[\w.-]+$/, 'https://github.com/$&')
    .replace(/^git:\/\//, 'https://');
  return [[`${name} ${version}`, link].filter(Boolean).join('\n'), ...texts].join('\n\n');
}
