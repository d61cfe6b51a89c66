/**
 * `npm run way`: prints the files that a generation passes through, from the command to the socket
 * and from the socket to the document. These are the files in src that are on the call stack when
 * the request is sent and when text is written. Functions that are still awaiting a result are
 * included, but functions that have already returned aren't. The script runs in plain Node with a
 * fake editor, so it uses the `newDocument` insert mode.
 */
import { SinkEditor } from '../contract/leaks/sinkEditor.ts';
import { windows } from '../contract/leaks/window.ts';
import { startLife } from '../contract/lifecycle/life.ts';

Error.stackTraceLimit = 300;

/** Returns the files in src that are on the call stack, innermost first. */
function filesOnStack(): string[] {
  const stack = new Error('here').stack ?? '';
  return [...stack.matchAll(/\/src\/([\w/]+\.ts)/g)].map(([, path = '']) => path);
}

/** Returns each file once, outermost first. */
function inOrder(files: readonly string[]): string[] {
  return [...new Set(files.toReversed())];
}

const life = await startLife();
const editor = life.editor();
let toSocket: string[] = [];
let toDocument: string[] = [];

const { fetch } = globalThis;
globalThis.fetch = (url, init) => {
  if (String(url).includes('/text/')) toSocket = inOrder(filesOnStack());
  return fetch(url, init);
};
const sink = editor.sink.bind(editor);
editor.sink = (kind, ...values) => {
  const files = filesOnStack();
  // Ignores writes that don't come from the socket, because they aren't part of a response.
  const socket = files.findLastIndex((path) => path.startsWith('service/http/'));
  if (kind === 'document' && socket >= 0) toDocument = inOrder(files.slice(0, socket + 1));
  sink(kind, ...values);
};

const opened = windows(new SinkEditor());
const window = await opened.start(editor, life.stores);
await window.run('generateFromSelection');
await window.close();
opened.end();
await life.emulator.close();

for (const [name, files] of Object.entries({
  'from the command to the socket': toSocket,
  'from the socket to the document': toDocument,
})) {
  console.log(`${name}: ${files.length} files`);
  for (const path of files) console.log(`  ${path}`);
}
process.exitCode = toSocket.length > 0 && toDocument.length > 0 ? 0 : 1;
