/**
 * `npm run size`: prints the number of files, lines of code, and lines of comments in each room, in
 * src, and in test. Also prints the number of floors and the number of imports from rooms that
 * aren't on a lower floor. Blank lines don't count. A line of code with a trailing comment counts
 * as code.
 */
import { readFileSync } from 'node:fs';
import { filesIn } from '../filesIn.ts';
import { printTable } from '../table.ts';
import { arrowsUp, circle, floors, roomOf } from '../unit/houseRules.ts';

interface Size {
  readonly files: number;
  readonly code: number;
  readonly comments: number;
}

function sizeOf(texts: readonly string[]): Size {
  const size = { files: texts.length, code: 0, comments: 0 };
  for (const text of texts) {
    let isInComment = false;
    for (const line of text.split('\n').map((each) => each.trim())) {
      if (line === '') continue;
      const isComment = isInComment || /^\/[/*]/.test(line);
      size[isComment ? 'comments' : 'code'] += 1;
      isInComment = (isInComment || line.startsWith('/*')) && !line.includes('*/');
    }
  }
  return size;
}

const read = (pattern: string, folder: string) =>
  new Map(
    filesIn(pattern)
      .filter((path) => !path.includes('node_modules/'))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );
const sources = read('src/**/*.ts', 'src');
const tests = read('test/**/*.ts', 'test');
const byRoom = Map.groupBy(sources, ([path]) => roomOf(path));
const rooms = [...byRoom]
  .map(([name, files]) => ({
    name,
    floor: floors[name] ?? 0,
    files: files.map(([, text]) => text),
  }))
  .toSorted((one, other) => other.floor - one.floor || one.name.localeCompare(other.name));
const rowOf = (name: string, floor: string, texts: readonly string[]) => {
  const { files, code, comments } = sizeOf(texts);
  return [name, floor, files, code, comments];
};

printTable({
  title: `${new Set(Object.values(floors)).size} floors, ${circle(sources) ? 'a circle' : '0 circles'}, ${arrowsUp(sources).length} arrows up`,
  heads: ['room', 'floor', 'files', 'lines of code', 'lines of comments'],
  rows: [
    ...rooms.map(({ name, floor, files }) => rowOf(name, `${floor}`, files)),
    rowOf('all of src', '', [...sources.values()]),
    rowOf('all of test', '', [...tests.values()]),
  ],
});
