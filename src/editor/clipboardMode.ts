import { env } from 'vscode';
import { inform } from '../ui/notify.ts';
import { onClipboard } from './insertMessages.ts';
import type { InsertMode } from './insertMode.ts';
import type { ResponseWriter } from './streamWriter.ts';

export const clipboard: InsertMode = {
  id: 'clipboard',
  open: (targets) => new ClipboardWriter(targets.length),
};

/**
 * Copies all responses to the clipboard together, after the last one has ended. Never reads the
 * clipboard, so the previous content can't be restored.
 */
class ClipboardWriter implements ResponseWriter {
  readonly isPending = false;
  readonly #texts: string[];
  readonly #open: Set<number>;

  constructor(count: number) {
    this.#texts = Array.from({ length: count }, () => '');
    this.#open = new Set(this.#texts.keys());
  }

  canInsert(): boolean {
    return true;
  }

  append(index: number, text: string): void {
    this.#texts[index] += text;
    this.#open.add(index);
  }

  async end(index: number): Promise<boolean> {
    this.#open.delete(index);
    const text = this.#texts.filter((each) => each !== '').join('\n\n');
    if (this.#open.size > 0 || text === '') return true;
    try {
      await env.clipboard.writeText(text);
    } catch {
      return false;
    }
    inform(onClipboard(this.#texts.length));
    return true;
  }

  restart(index: number): void {
    this.#texts[index] = '';
    this.#open.add(index);
  }
}
