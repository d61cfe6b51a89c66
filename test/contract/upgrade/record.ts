/**
 * `npm run record-state`: records this version's stored state in a file next to the files from
 * earlier versions. Run this script before a release. Existing files are never overwritten, because
 * users already have the state that earlier versions stored. All values are made up.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyStore } from '../../../src/connection/keyStore.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { windows } from '../leaks/window.ts';
import {
  connectionsIn,
  editorWith,
  outcomeOf,
  type StoredState,
  type StoredWorkspace,
  storesWith,
  type Workspace,
} from './storedState.ts';

const IDENTITY = 'https://identity.example';
const SERVICE = 'https://service.example';
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

const settings = { authUrl: IDENTITY, url: SERVICE, projectId: 'made-up-project-of-the-user' };
const environment = {
  VENDOR_API_KEY: 'made-up-key-of-the-environment',
  VENDOR_PROJECT_ID: 'made-up-project-of-the-environment',
  VENDOR_URL: 'https://environment.example',
};
const envFile = `VENDOR_API_KEY=made-up-key-of-the-file
VENDOR_PROJECT_ID=made-up-project-of-the-file
VENDOR_URL=https://file.example
`;
const templates = ['Explain', 'Made-up template of the user', 'Übersetzen'];

interface Step extends Workspace {
  /** The button that is clicked in each dialog. */
  readonly button: string;
}

const bare = { folder: '', envFile: '', settings: {}, button: '' };
const steps: readonly Step[] = [
  {
    ...bare,
    title: 'uses the stored key in a folder without credentials',
    folder: '/plain',
  },
  {
    ...bare,
    title: 'uses an approved .env file instead of the stored key',
    folder: '/approved',
    envFile,
    button: 'Use These Values',
    settings: { credentialSource: 'envFile' },
  },
  {
    ...bare,
    title: 'ignores a declined .env file',
    folder: '/refused',
    envFile,
    button: 'Do Not Use',
    settings: { credentialSource: 'envFile' },
  },
  {
    ...bare,
    title: 'uses the approved environment in a window without a folder',
    button: 'Use These Values',
    settings: { credentialSource: 'environment' },
  },
];

const path = join(import.meta.dirname, 'stored', `${version}.json`);
if (existsSync(path)) throw new Error(`${path} already exists and is never overwritten.`);
const opened = windows(new SinkEditor());
const { lastUsedTemplates, noteLastUsed } = await import('../../../src/templates/templateNames.ts');
// Windows started by `opened` use this process's environment variables.
Object.assign(process.env, environment);
const stores = storesWith({ secrets: {}, globalState: {} }, {});
const workspaces: StoredWorkspace[] = [];
for (const [index, step] of steps.entries()) workspaces.push(await take(step, index === 0));
for (const name of templates) await noteLastUsed(stores.globalState, name);
opened.end();
const state: StoredState = {
  version,
  note: `Stored by the code of ${version}, with made-up values. Never to be changed: see record.ts.`,
  settings,
  environment,
  secrets: Object.fromEntries(stores.keyring.values),
  globalState: Object.fromEntries(stores.globalState.values),
  workspaces,
  lastUsedTemplates: lastUsedTemplates(stores.globalState),
};
writeFileSync(path, `${JSON.stringify(state, null, 2)}\n`);
console.log(path);

/**
 * Performs a step, and returns its workspace, the workspace's stored state, and the outcome. The
 * first step also stores the key.
 */
async function take({ button, ...workspace }: Step, isFirst: boolean) {
  const here = {
    ...stores,
    workspaceState: storesWith({ secrets: {}, globalState: {} }, {}).workspaceState,
  };
  const editor = editorWith(workspace, settings);
  editor.button = button;
  const connections = await connectionsIn(opened, editor, here, environment);
  if (isFirst) {
    const record = { authUrl: IDENTITY, serviceUrl: SERVICE };
    const keys = new KeyStore(here.keyring.window(), here.globalState, () => {});
    await keys.write({ apiKey: 'made-up-key-in-secret-storage', ...record }, 'ibm');
  }
  await connections.for();
  // Also opens a window, because the whole extension stores more state than `connections` alone.
  await opened.open(editor, here, (run) => run('showMenu'));
  const outcome = outcomeOf(await connections.peek());
  return { ...workspace, workspaceState: Object.fromEntries(here.workspaceState.values), outcome };
}
