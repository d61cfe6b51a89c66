import { dirname, join } from 'node:path/posix';
import { APIS } from '../../src/service/apiCapabilities.ts';
import { AUTH_INPUTS } from '../../src/service/authInputs.ts';

/**
 * Checks the architecture invariants in source code. Each `files` parameter maps paths in src to
 * the contents of the files.
 */

export interface HouseRule {
  readonly name: string;
  /** True if this line of the file at `path` breaks the rule. */
  readonly isBroken: (line: string, path: string) => boolean;
  /** A line that must be caught when the test adds it to the file at `path`. */
  readonly planted: readonly [path: string, line: string];
}

const imports = (line: string): string | undefined =>
  /(?:from|import\()\s*'(?<module>[^']+)'/.exec(line)?.groups?.['module'];
/**
 * Authentication method names that also have other meanings in code or comments. For example, the
 * field `apiKey` contains the key for any method. Add a new method's name only if it also has other
 * meanings.
 */
const COMMON_WORDS = ['apiKey', 'command', 'none'];
/** Matches the name of any authentication method or API. */
const NAMED_ONCE = new RegExp(
  // Common words are recognized only as values of `kind`. `none` isn't recognized at all, because
  // it's also a token state.
  `\\bkind(:| [!=]==) '(${COMMON_WORDS.filter((word) => word !== 'none').join('|')})'|\\b(${[
    ...Object.keys(AUTH_INPUTS),
    ...Object.keys(APIS),
  ]
    .filter((name) => !COMMON_WORDS.includes(name))
    .join('|')})\\b`,
);
const inService = (path: string) => path.startsWith('service/');

/** Patterns for code that gives access to secrets, each with a line that must be caught. */
const givesSecret: readonly (readonly [what: string, pattern: RegExp, planted: string])[] = [
  [
    'methods that open a secret',
    /\b(Secret\.open|Connection\.credentials)\b/,
    '  const keys = Secret.open(looked.found.keys);',
  ],
  [
    'functions that return secrets',
    /\b(choose|chooseEditor|chooseWithoutFolder|credentialsFor|readExternalFile|secretsOf|secretsOfKeys|selectEditorSource)\(|\bkeys\.(read|others)\(/,
    '  const selection = selectEditorSource(looked.found);',
  ],
  [
    'fields that contain secrets',
    /(?<!')\bapiKey\b(?!'|: ')/,
    "  const words = [found.record?.apiKey ?? ''];",
  ],
];

/** Patterns for uses of VS Code's undocumented API, each with a line that must be caught. */
const undocumentedApi: readonly (readonly [what: string, pattern: RegExp, planted: string])[] = [
  [
    'commands',
    /(['"`])(workbench|lm)\.\w/,
    "commands.executeCommand('lm.addLanguageModelsProviderGroup');",
  ],
  [
    'chat settings',
    /(?<![#.\w])chat\.[a-z]\w*[A-Z]\w*(?![\w(])/,
    "inspect('chat.disableAIFeatures');",
  ],
  ['the chat extension', /copilot-chat/i, "extensions.getExtension('GitHub.copilot-chat');"],
  ['fields of options', /\bReflect\./, "Reflect.get(options, 'configuration');"],
  ['the caller of a request', /requestInitiator/, 'const { requestInitiator } = options;'],
  ['thinking parts', /LanguageModelThinking/, 'new vscode.LanguageModelThinkingPart(text);'],
  ['the system role', /\brole\b.*\b3\b/i, "if (Number(role) === 3) return 'system';"],
  [
    'types of data parts',
    /DataPart\(.*['"`]\w+['"`]\)/,
    "new LanguageModelDataPart(counts, 'usage');",
  ],
  [
    'local and remote values of a setting',
    /global(Local|Remote)Value/,
    'return found.globalLocalValue;',
  ],
];
/**
 * Modules that load on first use, keyed by their file names in the package. Each value contains the
 * path to the only file that imports the module, and the path in the import statement.
 */
export const importedOnFirstUse: Readonly<Record<string, readonly [path: string, of: string]>> = {
  app: ['extension.ts', './app.ts'],
  chat: ['app.ts', './chat/makeChat.ts'],
  templates: ['templates/loadTemplateFeature.ts', './templateFeature.ts'],
  envFile: ['extension.ts', './envFile/envFileFeature.ts'],
};

export const houseRules: readonly HouseRule[] = [
  {
    name: '1: src/service runs in plain Node',
    isBroken: (line, path) => inService(path) && imports(line) === 'vscode',
    planted: ['service/auth/tokenService.ts', "import type { Uri } from 'vscode';"],
  },
  {
    name: '2: only service/http/ imports axios',
    isBroken: (line, path) =>
      !path.startsWith('service/http/') && /^axios(-retry)?($|\/)/.test(imports(line) ?? ''),
    planted: ['service/client.ts', "import axios from 'axios';"],
  },
  {
    name: '2: only service/auth/clientCredentials.ts imports oauth4webapi',
    isBroken: (line, path) =>
      path !== 'service/auth/clientCredentials.ts' && imports(line) === 'oauth4webapi',
    planted: ['service/auth/identityService.ts', "import * as oauth from 'oauth4webapi';"],
  },
  {
    name: '3: only connection/ uses secret storage',
    isBroken: (line, path) =>
      !path.startsWith('connection/') &&
      /\bSecretStorage\b|secrets(\.|\[')(get|store|delete|keys)\b/.test(line),
    planted: ['status/menu.ts', "const key = await context.secrets.get('hostedModel.key');"],
  },
  ...givesSecret.map(([what, pattern, planted]) => ({
    name: `3: only connection/, service/, and dotenv/ use ${what}`,
    isBroken: (line: string, path: string) =>
      !/^(connection|service|dotenv)\//.test(path) && pattern.test(line),
    planted: ['diagnose/copyReport.ts', planted] as const,
  })),
  {
    name: '3: only config/configuration.ts reads configuration',
    isBroken: (line, path) =>
      path !== 'config/configuration.ts' && /\bgetConfiguration\(/.test(line),
    planted: ['generate/generate.ts', "workspace.getConfiguration('hostedModel').get('url');"],
  },
  {
    name: '3: outside src/service, only extension.ts and app.ts create the objects that all features share',
    isBroken: (line, path) =>
      path !== 'extension.ts' &&
      path !== 'app.ts' &&
      !inService(path) &&
      /new (ServiceRuntime|KeyStore|SourceApprovals|Connections|StatusItem|SessionHistory|RecentJobs|Http|TokenService|ConcurrencyLimit|Models|Usage)\(/.test(
        line,
      ),
    planted: ['commands/registerCommands.ts', '  const status = new StatusItem(place, beat);'],
  },
  {
    name: '4: no mutable state at module level',
    isBroken: (line) => /^(export )?(let|var) /.test(line),
    planted: ['service/auth/tokenService.ts', 'let cachedToken: string | undefined;'],
  },
  {
    name: '4: no cache at module level: collections there are read-only',
    isBroken: (line) =>
      /^(export )?const \w+(?!.*: Readonly).* = new (Map|Set|WeakMap)\b/.test(line),
    planted: ['service/auth/tokenService.ts', 'const tokens = new Map<string, string>();'],
  },
  {
    name: '4: no timer at module level',
    isBroken: (line) => /^(export )?const \w+.* = set(Timeout|Interval|Immediate)\(/.test(line),
    planted: ['service/auth/tokenService.ts', 'const timer = setInterval(() => {}, 60_000);'],
  },
  {
    name: '4: no work at import time',
    isBroken: (line) =>
      /^(await |void |setTimeout|setInterval|fetch\(|[a-z]\w*(\.\w+)+\()/.test(line),
    planted: ['service/http/http.ts', 'setInterval(() => {}, 1_000);'],
  },
  {
    name: '4: only four places import a module on first use',
    isBroken: (line, path) =>
      /(?<!`)\bimport\(/.test(line) &&
      !Object.values(importedOnFirstUse).some(
        ([place, of]) => path === place && line.includes(`import('${of}')`),
      ),
    planted: [
      'service/connection.ts',
      "    const { explain } = await import('./models/rejectionCause.ts');",
    ],
  },
  {
    name: '5: src/service has no messages for users',
    isBroken: (line, path) =>
      inService(path) &&
      // The message in this file is for the model, not for the user.
      path !== 'service/api/conversation.ts' &&
      !/^\s*(\*|\/\/|\/\*)/.test(line) &&
      /(['"`])[A-Z][a-z']+( [a-z]+){2,}/.test(line),
    planted: ['service/client.ts', "throw new Error('The service rejected your key.');"],
  },
  {
    name: '6: only service/http/reconnectingFetch.ts sends requests',
    isBroken: (line, path) =>
      path !== 'service/http/reconnectingFetch.ts' &&
      /(?<![#.\w])(globalThis\.)?(fetch|https?\.request|https?\.get)\(|from 'node:(net|tls|https?)'|from 'undici'/.test(
        line,
      ),
    planted: ['commands/modelPicker.ts', '  const models = await fetch(address);'],
  },
  {
    name: '7: time and randomness are parameters of src/service',
    isBroken: (line, path) =>
      inService(path) &&
      path !== 'service/clock.ts' &&
      /\b(Date\.now\(|performance\.now\(|Math\.random\(|new Date\(\))/.test(line),
    planted: ['service/http/retryRules.ts', '  return top * Math.random();'],
  },
  {
    name: '8: only service/http/http.ts retries',
    isBroken: (line, path) => path !== 'service/http/http.ts' && /\baxiosRetry\b/.test(line),
    planted: ['service/auth/identityService.ts', 'axiosRetry(instance, { retries: 3 });'],
  },
  {
    name: '8: only editor/documentEdit.ts edits documents',
    isBroken: (line, path) =>
      path !== 'editor/documentEdit.ts' && /\.edit\(|\bapplyEdit\(|insertSnippet\(/.test(line),
    planted: [
      'generate/generate.ts',
      '  await editor.edit((builder) => builder.insert(at, text));',
    ],
  },
  {
    name: 'untrusted text is never markup: appendMarkdown gets only constants',
    isBroken: (line) => /appendMarkdown\((?!['`])|isTrusted = true|supportHtml = true/.test(line),
    planted: ['status/statusItem.ts', '  tooltip.appendMarkdown(model.label);'],
  },
  {
    name: 'authentication methods and APIs are named only in their own files and in the files that list them',
    isBroken: (line, path) =>
      !/^(service\/(authentication|authInputs|apiCapabilities|builtInServices|auth\/\w+|api\/(watsonx|openai|apis))|connection\/setUp\/newServiceChoices)\.ts$/.test(
        path,
      ) && NAMED_ONCE.test(line),
    planted: [
      'connection/setUp/setUp.ts',
      "  if (service.authentication.kind === 'cloudPak') return;",
    ],
  },
  {
    name: 'only service/auth/runProgram.ts starts programs or uses platform-specific paths and file modes',
    isBroken: (line, path) =>
      path !== 'service/auth/runProgram.ts' &&
      /child_process|worker_threads|node:path\/|\bpath\.(sep|posix|win32)\b|\bchmod|\bmode: 0|process\.(platform [!=]|get[eg]?[ug]id)/.test(
        line,
      ),
    planted: ['connection/gitRisk.ts', "import { execFile } from 'node:child_process';"],
  },
  {
    name: 'nothing is written to the console',
    isBroken: (line) => /\bconsole\.\w+\(/.test(line),
    planted: ['editor/streamWriter.ts', "console.log('edit');"],
  },
  ...undocumentedApi.map(([what, pattern, planted]) => ({
    name: `only undocumentedApi.ts uses VS Code's undocumented API: ${what}`,
    isBroken: (line: string, path: string) => path !== 'undocumentedApi.ts' && pattern.test(line),
    planted: ['chat/chatProvider.ts', planted] as const,
  })),
];

/**
 * The floor of each room. Each folder in src is a room. Nested folders and single files with their
 * own floor are rooms, too. The other files in a folder belong to the folder's room. A room imports
 * code and types only from lower floors, so rooms on the same floor never import each other.
 */
export const floors: Readonly<Record<string, number>> = {
  extension: 17,
  app: 16,
  commands: 15,
  chat: 14,
  generate: 14,
  diagnose: 13,
  envFile: 13,
  templates: 13,
  'connection/setUp': 12,
  editor: 12,
  status: 12,
  connection: 11,
  ui: 10,
  config: 9,
  'service/connection': 9,
  'service/checks': 8,
  'service/serviceRuntime': 7,
  'service/client': 6,
  'service/sendWithToken': 5,
  'service/models': 5,
  messages: 4,
  'service/api': 4,
  'service/auth': 4,
  dotenv: 3,
  'editor/fit': 3,
  'service/http': 3,
  service: 2,
  undocumentedApi: 1,
};

export function roomOf(path: string): string {
  const [first = '', second = '', ...more] = path.replace(/\.ts$/, '').split('/');
  const nested = `${first}/${second}`;
  return more.length > 0 || nested in floors ? nestedRoom(first, nested) : first;
}

/** Returns the nested folder if it's a room itself, and otherwise the room that contains it. */
function nestedRoom(first: string, nested: string): string {
  return nested in floors ? nested : first;
}

/** Returns the files in src that each file imports, including dynamic and type imports. */
export function importsOf(files: ReadonlyMap<string, string>): Map<string, string[]> {
  return new Map(
    [...files].map(([path, text]) => {
      const named = text.matchAll(/(?:from|import\(?)\s*'(?<module>\.[^']+)'/g);
      const targets = [...named].map(({ groups }) => join(dirname(path), groups?.['module'] ?? ''));
      return [path, [...new Set(targets)]];
    }),
  );
}

/** Returns each import between rooms that doesn't lead to a lower floor, as `from -> to`. */
export function arrowsUp(files: ReadonlyMap<string, string>): string[] {
  const floorOf = (path: string) => floors[roomOf(path)] ?? Number.NaN;
  return [...importsOf(files)].flatMap(([path, targets]) =>
    targets
      .filter((target) => roomOf(target) !== roomOf(path) && !(floorOf(target) < floorOf(path)))
      .map((target) => `${path} -> ${target}`),
  );
}

/** Returns the files in a circular import, or undefined if there is no circular import. */
export function circle(files: ReadonlyMap<string, string>): string[] | undefined {
  const imports = importsOf(files);
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const target of imports.get(path) ?? []) {
      const found = visit(target, [...trail, path]);
      if (found) return found;
    }
    done.add(path);
    return undefined;
  };
  for (const path of imports.keys()) {
    const found = visit(path, []);
    if (found) return found;
  }
  return undefined;
}

/**
 * Returns the names that are exported by more than one file, or shared by more than one type or
 * class.
 */
export function namesTwice(files: ReadonlyMap<string, string>): string[] {
  const declared = [...files].flatMap(([, text]) =>
    [...text.matchAll(DECLARATION)].map(({ groups = {} }) => groups),
  );
  const byName = Map.groupBy(declared, ({ name = '' }) => name);
  return [...byName].flatMap(([name, all]) => {
    const exported = all.filter((one) => one['exported']);
    const types = all.filter((one) => /class|interface|type/.test(one['keyword'] ?? ''));
    return exported.length > 1 || types.length > 1 ? name : [];
  });
}

const DECLARATION =
  /^(?<exported>export )?(?:async |abstract )*(?<keyword>function|class|interface|type|const)\*? (?<name>\w+)/gm;

export interface Violation {
  readonly rule: string;
  readonly place: string;
}

export function violations(files: ReadonlyMap<string, string>): Violation[] {
  const found: Violation[] = [];
  for (const [path, text] of files) {
    for (const [index, line] of text.split('\n').entries()) {
      for (const rule of houseRules) {
        if (rule.isBroken(line, path))
          found.push({ rule: rule.name, place: `${path}:${index + 1}` });
      }
    }
  }
  return found;
}
