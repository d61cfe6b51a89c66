import { readFileSync } from 'node:fs';
import { filesIn } from '../filesIn.ts';
import { floors, importsOf, roomOf } from '../unit/houseRules.ts';

/** The rooms of src on the floors of the house rules, with what they import. */

export interface Room {
  /** The first folder under src, or the name of a file that lies beside them. */
  readonly name: string;
  /** As people write it: a folder ends with a slash. */
  readonly label: string;
  readonly files: number;
  /** The rooms that its files import anything from, types included, by name. */
  readonly imports: readonly string[];
  readonly floor: number;
}

/** One sentence for each room; a room without one, or a sentence without a room, is an error. */
const PURPOSES: Readonly<Record<string, string>> = {
  extension: 'Builds everything in order of dependency, and hands rooms what they need of others.',
  commands: 'Each command id with its handler, behind the one guard that reports failures.',
  chat: 'VS Code’s chat, agents and other extensions on the model, and its tool for other models.',
  generate: 'The main job: from the selections to what is sent, its answers and what is said then.',
  diagnose:
    'What a failed command says, the checks of _Diagnose Connection_, their list, and the report.',
  templates:
    'Prompts with places to fill in: loads, reads, checks, completes, fills and picks them.',
  status: 'The status item, its menu, and what happened in this session.',
  envFile: 'Problems and quick fixes of an open `.env` file.',
  insert: 'The insert modes and the preview; a mode is an entry of one list.',
  credentials: 'The three sources, which of them wins, what the user approved, and the set-up.',
  usage: 'Counts requests and tokens by model and caller, and keeps the budget of a day.',
  messages: 'A sentence and a way out for every failure of the service.',
  dotenv: 'The text of a `.env` file: its settings, mistakes and fixes, and what git does with it.',
  document: 'Follows text while others edit, and writes streamed answers: all edits are made here.',
  formatting: 'Fits streamed text to its place: fences, indentation, line ends, characters. Pure.',
  ui: 'Progress, wizard steps, log and announcements; knows no feature.',
  settings: 'What the settings are good for, as one snapshot.',
  configuration: 'The only reader of the configuration: values as they stand there.',
  privateApi: 'What VS Code doesn’t promise: commands and fields, each with a source and a canary.',
  service: 'The hosted service as a client sees it; plain Node, without VS Code.',
};

export function readRooms(): Room[] {
  const texts = filesIn('src/**/*.ts').map(
    (path) => [path.slice('src/'.length), readFileSync(path, 'utf8')] as const,
  );
  const byRoom = Map.groupBy(importsOf(new Map(texts)), ([path]) => roomOf(path));
  return [...byRoom].map(([name, files]) => ({
    name,
    label: files.some(([path]) => path === `${name}.ts`) ? `${name}.ts` : `${name}/`,
    files: files.length,
    imports: [...new Set(files.flatMap(([, targets]) => targets.map(roomOf)))]
      .filter((other) => other !== name)
      .sort(),
    floor: floors[name] ?? 0,
  }));
}

/** The table of the architecture page. @throws if a room has no sentence, or a sentence no room */
export function roomsTable(rooms: readonly Room[]): string {
  const names = rooms.map(({ name }) => name);
  const [wanted, said] = [names, Object.keys(PURPOSES)].map((list) => list.toSorted().join(', '));
  if (wanted !== said) throw new Error(`There are sentences for ${said}, and rooms ${wanted}.`);
  const rows = rooms
    .toSorted((one, other) => other.floor - one.floor || one.name.localeCompare(other.name))
    .map((room) => `| ${room.floor} | \`${room.label}\` | ${PURPOSES[room.name]} |`);
  return ['| Floor | Room | What it is for |', '|--:|---|---|', ...rows].join('\n');
}
