import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { insertModeIds } from '../../src/editor/insertMode.ts';
import { ACTION_LABELS } from '../../src/messages/actions.ts';
import { services } from '../../src/service/builtInServices.ts';
import { canOverrideAuthUrl } from '../../src/service/service.ts';
import { applicationSettings } from '../applicationSettings.ts';
import { settingsIn } from '../settingsIn.ts';
import { readPages } from './pageBlocks.ts';

interface Schema {
  readonly enum?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly properties?: unknown;
}
interface Setting extends Schema {
  readonly type: string;
  readonly items?: { readonly properties: Readonly<Record<string, Schema>> };
  readonly default: unknown;
  readonly minimum?: number;
  readonly scope: string;
  readonly order: number;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly markdownDescription: string;
}
interface Manifest {
  readonly name: string;
  readonly publisher: string;
  readonly repository: { readonly url: string };
  readonly homepage: string;
  readonly bugs: string;
  readonly qna: string;
  readonly pricing: string;
  readonly categories: readonly string[];
  readonly keywords: readonly string[];
  readonly main: string;
  readonly engines: { readonly vscode: string };
  readonly activationEvents: readonly string[];
  readonly extensionKind: readonly string[];
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly capabilities: {
    readonly untrustedWorkspaces: {
      readonly supported: string;
      readonly restrictedConfigurations: readonly string[];
    };
    readonly virtualWorkspaces: boolean;
  };
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly title: string;
      readonly category: string;
    }[];
    readonly menus: {
      readonly commandPalette: readonly { readonly command: string; readonly when: string }[];
    };
    readonly keybindings: readonly {
      readonly key: string;
      readonly mac: string;
      readonly when: string;
    }[];
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly id: string;
        readonly description: string;
        readonly completionEvents: readonly string[];
      }[];
    }[];
    readonly configuration: readonly {
      readonly title: string;
      readonly order: number;
      readonly properties: Readonly<Record<string, Setting>>;
    }[];
  };
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const { contributes, capabilities } = manifest;
const settings = settingsIn<Setting>(manifest);
const {
  enum: modes = [],
  enumDescriptions = [],
  ...rest
} = settings['hostedModel.insertMode'] ?? {};
const walkthroughSteps = contributes.walkthroughs.flatMap(({ steps }) => steps);
const insertMode = { ...rest, enum: modes, enumDescriptions };
const source = ['settings', 'configuration']
  .map((name) => readFileSync(`src/config/${name}.ts`, 'utf8'))
  .join('');

const MOST_FOR_A_NEWCOMER = 10;
const MOST_WORDS = 20;

describe('the manifest', () => {
  it('contributes exactly the commands in commandTypes.ts, all in one category', () => {
    const registered = [
      ...readFileSync('src/commands/commandTypes.ts', 'utf8').matchAll(/^ {2}'(\w+)',$/gm),
    ].map((match) => `hostedModel.${match[1]}`);
    assert.deepEqual(contributes.commands.map(({ command }) => command).sort(), registered.sort());
    for (const { category } of contributes.commands) assert.equal(category, 'Hosted Model');
  });

  it('shows a new user at most 10 commands in the Command Palette', () => {
    // For a new user, all of the extension's context keys are false, and no preview is open.
    const isFalse = /^(?:hostedModel\.\w+$|resource(?:Scheme|Filename) == )/;
    const hidden = contributes.menus.commandPalette.filter(({ when }) => isFalse.test(when));
    const names = new Set(contributes.commands.map(({ command }) => command));
    for (const { command } of hidden) names.delete(command);
    assert.deepEqual(
      [...names].map((name) => name.replace('hostedModel.', '')),
      [
        'generateFromSelection',
        'generateWithTemplate',
        'setUp',
        'showMenu',
        'diagnose',
        'selectModel',
        'useInChat',
        'showLog',
      ],
    );
    assert.ok(names.size <= MOST_FOR_A_NEWCOMER);
  });

  it('uses exactly the context keys that the code sets', () => {
    const namesIn = (text: string, pattern: RegExp) =>
      [...text.matchAll(pattern)].map(([, name = '']) => name);
    const sorted = (names: readonly string[]) => [...new Set(names)].sort();
    const text = JSON.stringify(contributes);
    const conditions = namesIn(text, /"when":"([^"]*)"/g).join('\n');
    const read = [
      ...namesIn(conditions, /(?<!config\.)\bhostedModel\.(\w+)/g),
      ...namesIn(text, /"onContext:hostedModel\.(\w+)"/g),
    ];
    const sources = globSync('src/**/*.ts').map((path) => readFileSync(path, 'utf8'));
    const set = namesIn(sources.join('\n'), /\bsetContextKey\('(\w+)'/g);
    assert.deepEqual(sorted(read), sorted(set));
  });

  it('contributes exactly the settings that the code reads', () => {
    for (const name of Object.keys(settings)) {
      const [last = ''] = name
        .replace('hostedModel.', '')
        .split(/(?<=project|space|deployment)Id$/);
      assert.ok(source.includes(`'${last}'`), `read ${name} in src/config/settings.ts`);
    }
    const read = [...source.matchAll(/(?:text|get|inspected)\('(\w+)'/g)].map(
      ([, name]) => `hostedModel.${name}`,
    );
    for (const kind of ['project', 'space', 'deployment']) read.push(`hostedModel.${kind}Id`);
    assert.deepEqual([...new Set(read)].sort(), Object.keys(settings).sort());
  });

  it("B05: doesn't let workspaces set addresses or limits", () => {
    for (const [name, { scope }] of Object.entries(settings)) {
      assert.match(scope, /^(application|resource)$/, `${name}: application or resource scope?`);
    }
    const ofTheUser = Object.entries(settings).filter(([, { scope }]) => scope === 'application');
    assert.deepEqual(
      ofTheUser.map(([name]) => name.replace('hostedModel.', '')).sort(),
      [...applicationSettings].sort(),
      'list the settings with application scope in test/applicationSettings.ts',
    );
    const ofWorkspaces = Object.entries(settings).filter(([, { scope }]) => scope === 'resource');
    assert.deepEqual(
      ofWorkspaces.map(([name]) => name).sort(),
      [...capabilities.untrustedWorkspaces.restrictedConfigurations].sort(),
      'list the settings with resource scope in restrictedConfigurations',
    );
    assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
  });

  it('gives each setting a type and a default, and each number a minimum', () => {
    for (const [name, setting] of Object.entries(settings)) {
      assert.ok(setting.type, `${name}: add a type`);
      assert.notEqual(setting.type, 'number', `${name}: use the integer type`);
      assert.notEqual(setting.default, undefined, `${name}: add a default`);
      if (setting.type === 'integer') {
        assert.notEqual(setting.minimum, undefined, `${name}: add a minimum`);
      }
    }
  });

  it("doesn't have a setting for a key, token, or other secret", () => {
    assert.equal(
      Object.keys(settings).some((name) => /key$|token$|secret/i.test(name)),
      false,
    );
  });

  it('has the same schema for template parameters and hostedModel.parameters', () => {
    // VS Code doesn't resolve references within a schema, so the manifest contains this schema
    // twice.
    const template = settings['hostedModel.templates']?.items?.properties['parameters'];
    const parameters = settings['hostedModel.parameters'];
    assert.ok(parameters?.properties);
    assert.deepEqual(template?.properties, parameters.properties);
    assert.deepEqual(
      [template?.additionalProperties, parameters.additionalProperties],
      [false, false],
    );
  });

  it('lists each built-in service, and names the default model of the first service', () => {
    const { markdownDescription: words = '', default: inUse } =
      settings['hostedModel.service'] ?? {};
    for (const { word } of services) {
      const hint = `add ${word} to the description of hostedModel.service in package.json`;
      assert.ok(words.includes(`\`${word}\``), hint);
    }
    assert.equal(inUse, '');
    // A default model here would be sent to every service.
    assert.equal(settings['hostedModel.modelId']?.default, '');
    assert.ok(
      settings['hostedModel.modelId'].markdownDescription.includes(services[0].defaultModelId),
    );
  });

  it('lists each service whose identity address can be overridden', () => {
    const { markdownDescription: words = '' } = settings['hostedModel.authUrl'] ?? {};
    for (const { word } of services.filter(canOverrideAuthUrl)) {
      const hint = `add ${word} to the description of hostedModel.authUrl in package.json`;
      assert.ok(words.includes(`\`${word}\``), hint);
    }
  });

  it('has a walkthrough that links to the same API key pages as SECURITY.md', () => {
    const { description } = walkthroughSteps.find(({ id }) => id === 'setUp') ?? assert.fail();
    const pages = services.flatMap(({ keyPage }) => keyPage || []);
    assert.ok(pages.length > 0);
    for (const page of pages) {
      const link = `(${page})`;
      assert.ok(description.includes(link), `link to ${page} in the step setUp in package.json`);
      const security = readFileSync('SECURITY.md', 'utf8');
      assert.ok(security.includes(link), `link to ${page} in SECURITY.md`);
    }
  });

  it('uses no single asterisks, underscores, or backticks in its walkthrough', () => {
    for (const { description } of walkthroughSteps) {
      assert.doesNotMatch(description.replace(/``|__|\*\*/g, ''), /[`_*]/);
    }
  });

  it("has the extension ID that the code uses to open the extension's settings", () => {
    const { publisher, name } = manifest;
    const source = readFileSync('src/ui/openSettings.ts', 'utf8');
    assert.ok(source.includes(`'@ext:${publisher}.${name}'`));
  });

  it('links from the URL setting to setup, diagnosis, and sign-out', () => {
    const { markdownDescription = '' } = settings['hostedModel.url'] ?? {};
    for (const command of ['setUp', 'diagnose', 'signOut']) {
      assert.ok(markdownDescription.includes(`](command:hostedModel.${command})`), command);
    }
  });

  it('has four groups of settings in a fixed order', () => {
    const groups = contributes.configuration.map(({ title, properties }) => {
      return [title, Object.keys(properties).map((name) => name.replace('hostedModel.', ''))];
    });
    assert.deepEqual(
      Object.fromEntries(groups),
      {
        Connection: ['service', 'url', 'projectId'],
        Generation: ['modelId', 'insertMode', 'parameters', 'templates'],
        Chat: ['dailyTokenBudget', 'offerTool'],
        Advanced: [
          'services',
          'credentialSource',
          'spaceId',
          'deploymentId',
          'authUrl',
          'operation',
          'maxConcurrentRequests',
          'minRequestInterval',
        ],
      },
      'list the settings here in the order of package.json',
    );
    // VS Code sorts groups and settings by `order`, or by name if they have no order.
    for (const [place, { title, order, properties }] of contributes.configuration.entries()) {
      assert.equal(order, place);
      const orders = Object.values(properties).map((setting) => setting.order);
      assert.deepEqual(orders, [...orders.keys()], `${title}: each setting needs the next order`);
    }
  });

  it(`describes each setting in at most ${MOST_WORDS} words`, () => {
    for (const [name, { markdownDescription }] of Object.entries(settings)) {
      const text = markdownDescription.replace(/\]\([^)]*\)/g, ']');
      const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
      assert.ok(words.length <= MOST_WORDS, `${name}: ${words.length}`);
    }
  });

  it('L08 L09: activates the extension after startup and defines no install hooks', () => {
    assert.deepEqual(manifest.activationEvents, ['onStartupFinished']);
    assert.deepEqual(manifest.extensionKind, ['ui', 'workspace']);
    assert.equal(capabilities.virtualWorkspaces, true);
    for (const hook of ['preinstall', 'install', 'postinstall', 'prepare'])
      assert.equal(manifest.scripts[hook], undefined);
  });

  it('has valid metadata, and is the only file with the repository address', () => {
    const { repository, homepage, bugs, qna, pricing, categories, keywords } = manifest;
    const { url } = repository;
    assert.match(url, /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/);
    const links = [...JSON.stringify(contributes).matchAll(/\]\((https:[^)]+\/blob\/[^)]+)\)/g)];
    const pages = links.map(([, link = '']) => link);
    assert.ok(pages.length > 0);
    for (const link of [homepage, bugs, qna, ...pages]) assert.ok(link.startsWith(url), link);
    for (const link of pages) {
      const [, path = ''] = link.split('/blob/HEAD/');
      assert.ok(existsSync(path), link);
    }
    const others = globSync(['*.{md,ts,mjs}', '{docs,src,test}/**/*.{md,ts,json}']);
    const naming = others.filter((path) => readFileSync(path, 'utf8').includes(url));
    assert.deepEqual(naming, []);
    assert.equal(pricing, 'Free');
    assert.ok(categories.length > 0 && keywords.length <= 10);
  });

  it('L08: uses the types of the oldest supported VS Code version', () => {
    assert.equal(`^${manifest.devDependencies['@types/vscode']}`, manifest.engines.vscode);
  });

  it('pins every dependency and allows install scripts for only three packages', () => {
    for (const [name, version] of Object.entries(manifest.devDependencies))
      assert.match(version, /^\d/, name);
    assert.deepEqual(Object.keys(manifest.allowScripts).sort(), [
      '@vscode/vsce-sign',
      'esbuild',
      'node',
    ]);
  });

  it('lists all insert modes for the setting and for templates', () => {
    // Reads the file as text, because files that import vscode can't be loaded here.
    const list = readFileSync('src/editor/insertModes.ts', 'utf8');
    const listed = /insertModes[^=]*= \[([^\]]*)\]/.exec(list)?.[1] ?? '';
    const offered = [...listed.matchAll(/\w+/g)].map(([id]) => id);
    const made = globSync('src/editor/*.ts').flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/(?:\bid: |= placing\()'(\w+)'/g)].map(
        ([, id]) => id,
      ),
    );
    assert.deepEqual(insertMode.enum, offered);
    assert.deepEqual(insertModeIds, offered);
    assert.deepEqual([...made].sort(), [...offered].sort());
    assert.deepEqual(
      settings['hostedModel.templates']?.items?.properties['insertMode']?.enum,
      insertMode.enum,
    );
    assert.equal(insertMode.default, offered[0]);
  });
});

describe('pages and buttons', () => {
  it('quote command titles with their ellipses', () => {
    // The changelog isn't checked, because it quotes command titles from earlier versions.
    const { 'CHANGELOG.md': _, ...pages } = readPages();
    const buttons = Object.values(ACTION_LABELS).map((label) => `*${label}*`);
    const texts = [...Object.values(pages), JSON.stringify(contributes), ...buttons];
    const bare = contributes.commands.flatMap(({ title }) =>
      title.endsWith('...') ? [title.slice(0, -'...'.length)] : [],
    );
    assert.ok(bare.length > 0);
    const quotes = new RegExp(`([_*[“]|Run )(${bare.join('|')})(?!\\.\\.\\.)`, 'g');
    assert.deepEqual(
      texts.flatMap((text) => text.match(quotes) ?? []),
      [],
    );
  });
});
