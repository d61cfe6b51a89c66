import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Words that the terms of a licence hold, and a file that only refers to them does not. */
const TERMS: Readonly<Record<string, string>> = {
  ISC: 'Permission to use, copy, modify, and/or distribute this software',
  MIT: 'Permission is hereby granted, free of charge',
  'Apache-2.0': 'TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION',
};

const HEAD =
  'Third-party software in the scripts of this extension, unchanged but for being bundled.';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly repository?: string | { readonly url: string };
}

/**
 * What has to be shipped with the code of others: who made it, and the full text of its licence.
 * @param inputs the paths of all files in the bundle
 * @throws {Error} if the terms of a licence are nowhere to be had
 */
export function noticesOf(inputs: readonly string[]): string {
  const folders = inputs.flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  const notices = [...new Set(folders)].map(noticeOf);
  // Folders may hold the same version twice.
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
    // Of use where the terms name no holder: axios-retry comes with a reference to them alone.
    const standard = `licences/${license}.txt`;
    if (!existsSync(standard)) {
      throw new Error(
        `The terms of ${name} ${version} (licence: ${license}) are neither in its folder nor in ${standard}.`,
      );
    }
    texts.push(readFileSync(standard, 'utf8').trimEnd());
  }
  const source = homepage ?? (typeof repository === 'object' ? repository.url : repository);
  // npm's short form of an address, and a protocol that hosts no longer offer.
  const link = source
    ?.replace(/^[\w.-]+\/[\w.-]+$/, 'https://github.com/$&')
    .replace(/^git:\/\//, 'https://');
  return [[`${name} ${version}`, link].filter(Boolean).join('\n'), ...texts].join('\n\n');
}
