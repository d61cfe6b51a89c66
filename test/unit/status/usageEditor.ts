import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Uri } from 'vscode';
import { FakeEditor } from '../connection/fakeEditor.ts';

type Place = Pick<Uri, 'path'>;

/**
 * A fake editor that stores the counters in a real folder, and answers warnings as the test
 * specifies.
 */
export class UsageEditor extends FakeEditor {
  readonly path = mkdtempSync(join(tmpdir(), 'hosted-model-usage-'));
  readonly storage = { path: this.path } as Uri;
  readonly folder = join(this.path, 'usage');
  /** If defined, every write fails with this error. */
  broken: Error | undefined;
  writes = 0;
  /** The current and the highest number of concurrent writes. */
  readonly writing = { now: 0, most: 0 };
  /**
   * The buttons in each warning. Each warning is answered with the next label in `picks`, or closed
   * if none are left.
   */
  readonly offered: string[][] = [];
  /** Called before a warning is answered. */
  beforeAnswer = () => {};
  readonly shown: string[] = [];
  /** True if VS Code's built-in Markdown extension is enabled. */
  hasPreviews = true;
  #text = () => '';

  /** The names of all files in the folder, including files that aren't counters. */
  get fileNames(): readonly string[] {
    return readdirSync(this.folder).sort();
  }

  /** The parsed contents of all files in the folder, keyed by file name. */
  get stored(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      this.fileNames.map((name) => [
        name,
        JSON.parse(readFileSync(join(this.folder, name), 'utf8')),
      ]),
    );
  }

  put(name: string, text: string): void {
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(join(this.folder, name), text);
  }

  end(): void {
    rmSync(this.path, { recursive: true });
  }

  override exports(): Record<string, unknown> {
    const base = super.exports();
    const own = (name: string, values: object) => ({ ...(base[name] as object), ...values });

    return {
      ...base,
      window: own('window', {
        showWarningMessage: async (message: string, ...buttons: string[]) => {
          this.messages.push(message);
          this.offered.push(buttons);
          this.beforeAnswer();
          return this.picks.shift();
        },
        showTextDocument: async () => void this.shown.push(this.#text()),
      }),
      workspace: own('workspace', {
        fs: this.#files(),
        registerTextDocumentContentProvider: (
          _: string,
          provider: { provideTextDocumentContent: () => string },
        ) => {
          this.#text = provider.provideTextDocumentContent;
          return { dispose: () => {} };
        },
        openTextDocument: async () => ({}),
      }),
      commands: own('commands', {
        executeCommand: async (command: string) => {
          if (command !== 'markdown.showPreview') return;
          if (!this.hasPreviews) throw new Error(`command '${command}' not found`);
          this.shown.push(`preview of ${this.#text()}`);
        },
      }),
      Uri: own('Uri', { from: (parts: object) => parts }),
    };
  }

  #files() {
    return {
      createDirectory: async ({ path }: Place) => mkdirSync(path, { recursive: true }),
      readDirectory: async ({ path }: Place) => readdirSync(path).map((name) => [name, 1]),
      readFile: async ({ path }: Place) => readFileSync(path),
      delete: async ({ path }: Place) => unlinkSync(path),
      writeFile: async ({ path }: Place, content: Uint8Array) => {
        this.writes += 1;
        this.writing.now += 1;
        this.writing.most = Math.max(this.writing.most, this.writing.now);
        await new Promise((resolve) => setImmediate(resolve));
        this.writing.now -= 1;
        if (this.broken) throw this.broken;
        writeFileSync(path, content);
      },
    };
  }
}
