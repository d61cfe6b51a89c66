/**
 * Opens VS Code on a copy of the sample folder, with its own settings, secrets, and state. F5 runs
 * this script. The window loads the extension from dist/, and uses the emulated service that the
 * `emulator` task starts. A launch configuration of type `extensionHost` ignores `--user-data-dir`,
 * so its window would share the developer's key: https://github.com/microsoft/vscode/issues/130504.
 *
 * node test/vscode/window.ts <VS Code executable>
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot, testDirectory } from './install.ts';
import { demoKey, demoProject } from './sample.ts';
import { quietSettings } from './server.ts';

/** These ports are also set in .vscode, for the emulator and the debugger. */
const [emulatorPort, debuggerPort] = [8765, 9339];

const [vscode = 'code'] = process.argv.slice(2);
const home = join(testDirectory, 'window');
const folder = join(home, 'sample');
const address = `http://127.0.0.1:${emulatorPort}`;
const settings = {
  ...quietSettings,
  'hostedModel.authUrl': address,
  'hostedModel.url': address,
  'hostedModel.projectId': demoProject,
};

await cp(join(import.meta.dirname, 'sample'), folder, { recursive: true });
await mkdir(join(home, 'User'), { recursive: true });
await writeFile(join(home, 'User', 'settings.json'), JSON.stringify(settings, undefined, 2));
const places = [`--user-data-dir=${home}`, `--extensions-dir=${join(home, 'extensions')}`];
const development = [
  `--extensionDevelopmentPath=${repositoryRoot}`,
  `--inspect-extensions=${debuggerPort}`,
];
spawn(vscode, [...places, ...development, folder], { detached: true, stdio: 'ignore' }).unref();
console.log(`Run "Hosted Model: Set Up..." in that window once, with the key ${demoKey}.`);
