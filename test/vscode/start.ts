/** `npm start`: a VS Code with the extension, an emulated service and a sample folder to try it. */
import { spawn } from 'node:child_process';
import { demoKey, demoProject, startSample } from './sample.ts';

const sample = await startSample();
const address = sample.server.url();
console.log(`
Hosted Model runs in VS Code ${sample.server.vscodeVersion}:

  ${address}

Try it there: open letter.md, press F1 and run "Hosted Model: Set Up Credentials".

  API key      ${demoKey}
  Project ID   ${demoProject}
  Service URL  ${sample.emulator.url}

Then select a line and run "Hosted Model: Generate from selection" (Ctrl+K Ctrl+G).
Control+C ends it.
`);
openOnDesktop(address);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void sample.stop().then(() => process.exit()));
}

/** Without a desktop the printed address is enough. */
function openOnDesktop(url: string): void {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  const hasDesktop = process.platform !== 'linux' || process.env['DISPLAY'] !== undefined;
  if (hasDesktop)
    spawn(opener, [url], { stdio: 'ignore', detached: true })
      .on('error', () => {})
      .unref();
}
