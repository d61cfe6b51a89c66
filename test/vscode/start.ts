/** `npm start`: starts VS Code with the extension, an emulated service, and a sample folder. */
import { spawn } from 'node:child_process';
import { ensureNativeModules, newestServer } from './install.ts';
import { demoKey, demoProject, startSample } from './sample.ts';

// The extension's log is an output channel, which stays empty without the native modules.
await ensureNativeModules(newestServer);
const sample = await startSample();
const address = sample.server.url();
console.log(`
Hosted Model runs in VS Code ${sample.server.vscodeVersion}:

  ${address}

Open letter.md there, click "Set Up Hosted Model" in the status bar, and answer:

  Service      Enter: IBM watsonx.ai
  API key      ${demoKey}
  Project ID   ${demoProject}
  Region       Enter: the emulated service at ${sample.emulator.url}

Press Enter to test and save. Then select a line and press Ctrl+K Ctrl+G.
To stop, press Ctrl+C here.
`);
openOnDesktop(address);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void sample.stop().then(() => process.exit()));
}

/** Opens an address in a browser if there is a desktop. The address is also printed. */
function openOnDesktop(url: string): void {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  const hasDesktop = process.platform !== 'linux' || process.env['DISPLAY'] !== undefined;
  if (hasDesktop)
    spawn(opener, [url], { stdio: 'ignore', detached: true })
      .on('error', () => {})
      .unref();
}
