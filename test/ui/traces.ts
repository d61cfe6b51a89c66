import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from './session.ts';

/**
 * Returns the files and browser stores that contain `text` in any of the encodings that `holds`
 * checks.
 */
export async function tracesOf(session: Session, text: string): Promise<string[]> {
  const places: string[] = [];
  for (const root of [session.server.dataDirectory, session.folder]) {
    for await (const entry of glob('**/*', { cwd: root, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      if (holds(await readFile(path), text)) places.push(path);
    }
  }
  const stores = await session.workbench.page.evaluate<Record<string, string>>(storesScript);
  for (const [name, kept] of Object.entries(stores)) {
    if (holds(Buffer.from(kept), text)) places.push(name);
  }
  return places;
}

/** True if the bytes contain the text in UTF-8, UTF-16, hexadecimal, Base64, or URL encoding. */
export function holds(bytes: Buffer, text: string): boolean {
  const plain = Buffer.from(text);
  const encoded = [plain.toString('hex'), encodeURIComponent(text), ...base64Of(text)];
  const forms = [plain, Buffer.from(text, 'utf16le'), ...encoded.map((form) => Buffer.from(form))];
  return forms.some((form) => bytes.includes(form));
}

/**
 * Returns the Base64 form of `text` at each of three offsets, without the characters that depend on
 * neighboring bytes.
 */
function base64Of(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).toString('base64');
    return padded.replace(/=+$/, '').slice(offset === 0 ? 0 : offset + 1, -1);
  });
}

const storesScript = `(async () => {
  const stores = { localStorage: JSON.stringify(localStorage),
    sessionStorage: JSON.stringify(sessionStorage), cookies: document.cookie };
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const plain = (_, value) =>
    value instanceof Uint8Array || value instanceof ArrayBuffer ? new TextDecoder().decode(value) : value;
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const objects = database.transaction(store).objectStore(store);
      const kept = [await done(objects.getAllKeys()), await done(objects.getAll())];
      stores['indexedDB ' + name + '/' + store] = JSON.stringify(kept, plain);
    }
    database.close();
  }
  return stores;
})()`;
