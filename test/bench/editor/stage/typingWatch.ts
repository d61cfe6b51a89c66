/** Measures how long a typed character takes to appear in a window. */
import type { Workbench } from '../../../vscode/workbench.ts';

/**
 * Starts watching the first line of the editor.
 * @param text the current text of this line
 * @returns a function that waits until `keys` characters have appeared, and returns how long each
 * character took to appear, in milliseconds
 */
export async function watchTyping(
  { screen }: Workbench,
  text: string,
): Promise<(keys: number) => Promise<readonly number[]>> {
  await screen.read(`(() => {
    const editor = document.querySelector('.editor-group-container.active .monaco-editor');
    const pressed = [];
    const seen = [];
    const line = () => [...editor.querySelectorAll('.view-lines .view-line')]
      .find(({ style }) => Number.parseFloat(style.top) === 0);
    const onKey = ({ timeStamp }) => pressed.push(timeStamp);
    addEventListener('keydown', onKey, true);
    const look = () => {
      const typed = (line()?.textContent.length ?? 0) - ${text.length};
      while (seen.length < typed) seen.push(performance.now() - pressed[seen.length]);
    };
    const observer = new MutationObserver(look);
    observer.observe(editor, { subtree: true, childList: true, characterData: true });
    globalThis.benchTyping = { seen, end: () => {
      observer.disconnect();
      removeEventListener('keydown', onKey, true);
    } };
  })()`);
  return async (keys) => {
    await screen.until(`${keys} typed characters`, async () =>
      (await screen.read<number>('benchTyping.seen.length')) >= keys ? true : undefined,
    );
    return screen.read<number[]>('(benchTyping.end(), benchTyping.seen)');
  };
}
