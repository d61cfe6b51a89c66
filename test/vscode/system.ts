/** What of the tests this system cannot run. */

/** Why there is no VS Code server here, as a sentence for whoever asked for one. */
export const whyNoServer =
  process.platform === 'win32'
    ? 'On Windows there is no VS Code server to test with: it is started by a shell script and ended as a process group. HOSTED_MODEL_DESKTOP_VSCODE=1 runs the host tests in a desktop VS Code; ui tests, npm start and npm run demo need Linux, macOS or WSL.'
    : undefined;

/** Ends this process with that sentence where it has no server to start. */
export function needServer(): void {
  if (whyNoServer === undefined) return;
  console.error(whyNoServer);
  process.exit(1);
}
