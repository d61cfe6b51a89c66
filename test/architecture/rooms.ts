import { readFileSync } from 'node:fs';
import { filesIn } from '../filesIn.ts';
import { floors, importsOf, roomOf } from '../unit/houseRules.ts';

/** Reads the rooms of src. A room is a folder or file that imports only rooms on lower floors. */

export interface Room {
  /** The path of a folder or file under src, without `.ts`. See `roomOf`. */
  readonly name: string;
  /** The name for display, such as `app.ts` or `chat/`. */
  readonly label: string;
  readonly files: number;
  /** Names of the rooms that this room's files import from. Type-only imports count, too. */
  readonly imports: readonly string[];
  readonly floor: number;
}

/** The descriptions in the table on the architecture page, by room name. */
const PURPOSES: Readonly<Record<string, string>> = {
  extension:
    'Activation: commands, status item, and chat models. Loads most other code on first use.',
  app: 'Creates the objects behind the commands and chat.',
  commands:
    'Each command and its function. Every command runs in a shared wrapper that reports failures.',
  chat: 'Language model provider, tool, and _Use in Chat_.',
  generate:
    'Jobs. A job turns selections into prompts, runs the generations, and reports the outcome.',
  diagnose: 'The checks of _Diagnose Connection_, the report, and messages for failed commands.',
  templates:
    'Templates, which are prompts with variables. Reads, checks, completes, and lists templates.',
  editor: 'Writes responses into documents: stream writer, tracked ranges, insert modes, preview.',
  'editor/fit':
    'Fits text to its place: indentation, code fences, line endings, characters. No VS Code API.',
  status: 'The status item, its tooltip and menu, the session history, and usage.',
  envFile: 'Problems in an open `.env` file, and their quick fixes.',
  connection: 'Sources of credentials, the selection of a source, approvals, and secret storage.',
  'connection/setUp':
    'The setup: prompts for credentials, tests and saves them, and adds or changes services.',
  ui: 'Progress, wizard steps, log, and notifications. Independent of features.',
  messages: 'A message and its actions for each kind of failure.',
  config: 'The only code that reads the configuration. Returns most settings as one snapshot.',
  dotenv: 'The settings, problems, and fixes in the text of a `.env` file. Pure functions.',
  undocumentedApi:
    'The undocumented commands and fields of VS Code that the extension uses, each with its source. A test checks that they still exist.',
  service:
    'Services, credentials, error kinds, and masking. Like all of `service/`, runs in plain Node.',
  'service/connection': 'The connection, through which features send requests.',
  'service/checks': 'The checks of a diagnosis, which generate nothing.',
  'service/serviceRuntime':
    'Shared by all connections: HTTP client, tokens, concurrency limits, and models.',
  'service/client':
    'One call to a service: request body, search for secrets, parameters, and usage.',
  'service/sendWithToken':
    'Sends a request with a token, and again with a new one if the token is refused.',
  'service/models': 'The models of a service, their lifecycle, and their limits.',
  'service/api': 'The wire format of each API: paths, bodies, streams, and errors.',
  'service/auth': 'Authentication methods, and the tokens.',
  'service/http': 'One HTTP request: attempts, retries, concurrency limit, and event stream.',
};

export function readRooms(): Room[] {
  const texts = filesIn('src/**/*.ts').map(
    (path) => [path.slice('src/'.length), readFileSync(path, 'utf8')] as const,
  );
  const byRoom = Map.groupBy(importsOf(new Map(texts)), ([path]) => roomOf(path));
  return [...byRoom].map(([name, files]) => ({
    name,
    label: texts.some(([path]) => path === `${name}.ts`) ? `${name}.ts` : `${name}/`,
    files: files.length,
    imports: [...new Set(files.flatMap(([, targets]) => targets.map(roomOf)))]
      .filter((other) => other !== name)
      .sort(),
    floor: floors[name] ?? 0,
  }));
}

/**
 * Returns the table of all rooms for the architecture page.
 * @throws {Error} if a room has no description, or a description has no room
 */
export function roomsTable(rooms: readonly Room[]): string {
  const names = rooms.map(({ name }) => name);
  const [wanted, described] = [names, Object.keys(PURPOSES)].map((list) =>
    list.toSorted().join(', '),
  );
  if (wanted !== described)
    throw new Error(`There are descriptions of ${described}, and rooms ${wanted}.`);
  const rows = rooms
    .toSorted((one, other) => other.floor - one.floor || one.name.localeCompare(other.name))
    .map((room) => `| ${room.floor} | \`${room.label}\` | ${PURPOSES[room.name]} |`);
  return ['| Floor | Room | Purpose |', '|--:|---|---|', ...rows].join('\n');
}
