import { readFileSync } from 'node:fs';
import { filesIn } from '../filesIn.ts';
import { floors, importsOf, roomOf } from '../unit/houseRules.ts';

/**
 * Finds the rooms in src, and generates the table for the architecture page. A room is a folder or
 * file that imports only from rooms on lower floors.
 */

export interface Room {
  /** The path to the room's folder or file, relative to src and without `.ts`. See `roomOf`. */
  readonly name: string;
  /** The name in the picture and in the table, such as `app.ts` or `chat/`. */
  readonly label: string;
  readonly files: number;
  /** Names of the rooms that this room's files import from. Type-only imports count too. */
  readonly imports: readonly string[];
  readonly floor: number;
}

/** The descriptions in the table on the architecture page, by room name. */
const PURPOSES: Readonly<Record<string, string>> = {
  extension:
    'Activates the extension. Registers the commands, status item, and chat models. Loads most other code on first use.',
  app: 'Creates the objects that the commands and chat use.',
  commands:
    'Maps each command to its function. Runs every command in a shared wrapper that reports failures.',
  chat: 'The language model provider, the chat tool, and _Use in Chat_.',
  generate:
    'Creates and runs jobs. Turns selections into prompts, runs the generations, and reports the outcome.',
  diagnose:
    'Runs _Diagnose Connection_, creates its report, and shows messages for failed commands.',
  templates:
    'Reads, lists, and checks templates, which are prompts with variables. Suggests completions in template files.',
  editor:
    'Writes responses into documents. Contains the insert modes, tracked ranges, and previews.',
  'editor/fit':
    "Adapts a response to its place in the document. Adjusts indentation and line endings, and removes code fences and unwanted characters. Doesn't use VS Code's API.",
  status: 'The status item, its tooltip and menu, the session history, and usage.',
  envFile: 'Underlines problems in an open `.env` file, and offers quick fixes.',
  connection: 'Finds credentials and selects their source. Handles approvals and secret storage.',
  'connection/setUp':
    'The setup. Prompts for credentials, tests and saves them, and adds or changes services.',
  ui: 'Parts of the UI that all features share: progress, wizard steps, log, and notifications.',
  messages:
    'The message for each kind of service failure, and the actions that the message offers.',
  config: 'Reads and writes the settings. Provides most of them as one snapshot.',
  dotenv:
    'Pure functions that find the settings and problems in the text of a `.env` file, and fix those problems.',
  undocumentedApi:
    'Lists the undocumented parts of VS Code that the extension uses, such as commands. The comment on each part links to the VS Code source.',
  service:
    'Services, credentials, kinds of errors, and masking. Like everything in `service/`, this code runs in plain Node.',
  'service/connection':
    'The `Connection` class. Features send their requests through a connection.',
  'service/checks': "The network checks for _Diagnose Connection_. They don't generate text.",
  'service/serviceRuntime':
    'The objects that all connections share: HTTP client, tokens, concurrency limits, and models.',
  'service/client':
    'Calls a service. Searches the prompt for secrets, creates the request body, and records usage.',
  'service/sendWithToken':
    'Assembles a request to the service, with a token or key if the service needs one, and sends it.',
  'service/models': 'The models of a service, their lifecycle, and their limits.',
  'service/api': 'The wire format of each API: paths, bodies, streams, and errors.',
  'service/auth': 'The authentication methods. Gets, keeps, and refreshes tokens.',
  'service/http':
    'Sends HTTP requests, and retries failed ones. Enforces the concurrency limit, and reads event streams.',
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
 * @throws {Error} if a room has no description, or if a description has no room
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
