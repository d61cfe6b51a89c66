/** The message that explains why this system can't run a VS Code server, or undefined if it can. */
export const whyNoServer =
  process.platform === 'win32'
    ? 'On Windows there is no VS Code server to test with, because it needs a shell script and process groups. Set HOSTED_MODEL_DESKTOP_VSCODE=1 to run the host tests in a desktop VS Code. The UI tests, npm start, and npm run demo need Linux, macOS, or WSL.'
    : undefined;

/** If this system can't run a VS Code server, prints `whyNoServer` and exits. */
export function needServer(): void {
  if (whyNoServer === undefined) return;
  console.error(whyNoServer);
  process.exit(1);
}
