import { env } from 'vscode';
import { inform } from '../ui/notify.ts';
import { COPIED, NOT_COPIED } from './insertMessages.ts';
import type { InsertMode } from './insertMode.ts';
import type { ResponseWriter } from './streamWriter.ts';

export const clipboard: InsertMode = {
  id: 'clipboard',
  failedText: NOT_COPIED,
  open: (targets) => new ClipboardWriter(targets.length),
};

/**
 * Copies all responses to the clipboard together, after the last one has ended. Never reads the
 * clipboard, so the previous content can't be restored.
 */
class ClipboardWriter implements ResponseWriter {
  readonly isPending = false;
  readonly #texts: string[];
  /** Indices of responses that have begun but not ended. */
  readonly #open = new Set<number>();
  /** True if text has arrived since the last copy. */
  #hasNewText = false;

  constructor(count: number) {
    this.#texts = Array.from({ length: count }, () => '');
  }

  canInsert(): boolean {
    return true;
  }

  begin(indices: readonly number[]): void {
    for (const index of indices) this.#open.add(index);
  }

  append(index: number, text: string): void {
    this.#texts[index] += text;
    this.#hasNewText = true;
  }

  async end(index: number): Promise<boolean> {
    this.#open.delete(index);
    // Without new text, copying would only replace what the user has copied in the meantime.
    if (this.#open.size > 0 || !this.#hasNewText) return true;
    this.#hasNewText = false;
    const text = this.#texts.filter((each) => each !== '').join('\n\n');
    try {
      await env.clipboard.writeText(text);
    } catch {
      return false;
    }
    inform(COPIED);
    return true;
  }

  restart(index: number): void {
    this.#texts[index] = '';
  }
}
