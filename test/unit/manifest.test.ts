import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { vendors } from '../../src/service/vendors.ts';
import { settingsTable } from './settingsTable.ts';

interface Setting {
  readonly type: string;
  readonly default: unknown;
  readonly scope: string;
  readonly order: number;
  readonly enum?: readonly string[];
  readonly markdownDescription: string;
}
interface Manifest {
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
    readonly keybindings: readonly {
      readonly key: string;
      readonly mac: string;
      readonly when: string;
    }[];
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
  };
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const { contributes, capabilities } = manifest;
const settings = contributes.configuration.properties;
const source = readFileSync('src/settings.ts', 'utf8');

describe('manifest', () => {
  it('contributes exactly the commands that are registered, all in one category', () => {
    const registered = [
      ...readFileSync('src/commands.ts', 'utf8').matchAll(/^ {2}'(\w+)',$/gm),
    ].map((match) => `hostedModel.${match[1]}`);
    assert.deepEqual(contributes.commands.map(({ command }) => command).sort(), registered.sort());
    for (const { category } of contributes.commands) assert.equal(category, 'Hosted Model');
  });

  it('contributes exactly the settings that are read', () => {
    for (const name of Object.keys(settings)) {
      assert.match(source, new RegExp(`'${name.replace('hostedModel.', '')}'`));
    }
    const read = [...source.matchAll(/(?:text|get<[^>]+>|inspect<[^>]+>)\('(\w+)'/g)].map(
      ([, name]) => `hostedModel.${name}`,
    );
    assert.deepEqual([...new Set(read)].sort(), Object.keys(settings).sort());
  });

  it('B05: keeps addresses and limits out of reach of workspaces', () => {
    for (const name of [
      'url',
      'authUrl',
      'vendor',
      'maxConcurrentRequests',
      'minRequestInterval',
      'keepTokenFresh',
    ]) {
      assert.equal(settings[`hostedModel.${name}`]?.scope, 'application', name);
    }
    const ofWorkspaces = Object.entries(settings).filter(([, { scope }]) => scope === 'resource');
    assert.deepEqual(
      ofWorkspaces.map(([name]) => name).sort(),
      [...capabilities.untrustedWorkspaces.restrictedConfigurations].sort(),
    );
    assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
  });

  it('has no setting for a key', () => {
    assert.equal(
      Object.keys(settings).some((name) => /key$|token$|secret/i.test(name)),
      false,
    );
  });

  it('offers what the vendor entries hold', () => {
    assert.deepEqual(
      settings['hostedModel.vendor']?.enum,
      vendors.map(({ word }) => word),
    );
    assert.equal(settings['hostedModel.vendor']?.default, vendors[0]?.word);
    assert.equal(settings['hostedModel.modelId']?.default, vendors[0]?.defaultModelId);
  });

  it('links the credential commands in its first setting', () => {
    const first = Object.values(settings).find(({ order }) => order === 0);
    for (const command of ['setUp', 'setApiKey', 'diagnose', 'signOut']) {
      assert.match(
        first?.markdownDescription ?? '',
        new RegExp(`command:hostedModel\\.${command}\\)`),
      );
    }
  });

  it('activates after start-up, beside the keychain, with no hooks of npm', () => {
    assert.deepEqual(manifest.activationEvents, ['onStartupFinished']);
    assert.deepEqual(manifest.extensionKind, ['ui', 'workspace']);
    assert.equal(capabilities.virtualWorkspaces, true);
    for (const hook of ['preinstall', 'install', 'postinstall', 'prepare'])
      assert.equal(manifest.scripts[hook], undefined);
  });

  it('holds the floor of VS Code by its types', () => {
    assert.equal(`^${manifest.devDependencies['@types/vscode']}`, manifest.engines.vscode);
  });

  it('pins every dependency, and lists the ones with install scripts', () => {
    for (const [name, version] of Object.entries(manifest.devDependencies))
      assert.match(version, /^\d/, name);
    assert.deepEqual(Object.keys(manifest.allowScripts).sort(), [
      '@vscode/vsce-sign',
      'esbuild',
      'node',
    ]);
  });

  it('is what the settings table of the README says', () => {
    assert.ok(
      readFileSync('README.md', 'utf8').includes(settingsTable(settings)),
      'run: npm run readme',
    );
  });
});
