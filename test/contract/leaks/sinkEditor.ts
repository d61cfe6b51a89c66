import { Buffer } from 'node:buffer';
import { checkLength, FakeEditor, type Scope } from '../../unit/connection/fakeEditor.ts';

/** Every place where text from the extension can appear. */
export const SINKS = [
  'log',
  'file log',
  'notification',
  'status text',
  'tooltip',
  'progress',
  'quick pick',
  'input box',
  'document',
  'report',
  'clipboard',
  'context key',
  'command result',
  'settings',
  'global state',
  'workspace state',
  'counter files',
  'stdout and stderr',
  'thrown error',
  'process warning',
] as const;

export type Sink = (typeof SINKS)[number];

interface Place {
  readonly line: number;
  readonly character: number;
  compareTo(): number;
}

interface Commands {
  registerCommand(name: string, run: () => Promise<unknown>): { dispose(): void };
}

const placeAt = (character: number): Place => ({ line: 0, character, compareTo: () => 0 });

class FakeRange {
  readonly start: Place;
  readonly end: Place;
  constructor(start: Place, end: Place) {
    this.start = start;
    this.end = end;
  }
}

/** Escapes appended text as VS Code does, and keeps the unescaped text in `given`. */
class FakeMarkdown {
  value = '';
  given = '';
  isTrusted: unknown;
  supportHtml: unknown;

  appendText(text: string): this {
    this.given += text;
    this.value += text
      .replace(/[\\`*_{}[\]()#+\-!~]/g, '\\$&')
      .replace(/[ \t]/g, '&nbsp;')
      .replace(/>/g, '\\>')
      .replace(/</g, '&lt;')
      .replace(/\n/g, '\n\n');
    return this;
  }
  appendMarkdown(text: string): this {
    this.given += text;
    this.value += text;
    return this;
  }
}

class FakeDisposable {
  readonly dispose: () => void;
  constructor(dispose: () => void) {
    this.dispose = dispose;
  }
  static from(...all: { dispose(): void }[]): FakeDisposable {
    return new FakeDisposable(() => {
      for (const each of all) each.dispose();
    });
  }
}

class FakeEdit {
  readonly texts: string[] = [];
  replace(_address: unknown, _range: unknown, text: string): void {
    this.texts.push(text);
  }
}

class Empty {}

/** A fake editor that records all text from the extension, by sink. */
export class SinkEditor extends FakeEditor {
  readonly sunk = new Map<Sink, string[]>(SINKS.map((sink) => [sink, []]));
  readonly tooltips: FakeMarkdown[] = [];
  /** The path to the only document. */
  path = '/work/a.txt';
  /** The only line of the document. */
  text = 'Write a haiku';
  languageId = 'plaintext';
  isDocumentClosed = false;
  /**
   * The active editor's document, which `keepDocument` sets. If undefined, each access returns a
   * new document so that the same text can be used in several concurrent generations.
   */
  #kept: unknown;
  /** True if the document is a cell of the notebook at `path`. */
  isNotebookCell = false;
  /** The selected ranges of characters. If undefined, the whole text is selected. */
  selections: readonly (readonly [from: number, to: number])[] | undefined;
  /**
   * The button to click in each message that has this button. In other messages, *Sign Out* is
   * clicked if it's offered. All other messages are dismissed.
   */
  button = 'Use These Values';
  /** ID of the model to pick in *Select Model*. If the model isn't listed, the list closes. */
  modelToPick = '';
  /**
   * For each write to the settings, the path to the target folder, or undefined for user settings.
   */
  readonly scopes: (string | undefined)[] = [];
  onLog: () => void = () => {};
  isFocused = true;
  /** The part of the editor's API in which some calls throw an error. */
  broken: 'status bar' | 'windows' | 'tabs' | 'settings file' | undefined;
  /**
   * The ID of a command that can't be registered, as if another extension had already registered
   * it.
   */
  takenCommand: string | undefined;
  /** Objects and listeners that the extension hasn't disposed of, by kind. */
  readonly held = new Map<string, Set<unknown>>();
  #exports: Record<string, unknown> | undefined;
  readonly #statusItems = new Map<string, { dispose(): void }>();

  sink(sink: Sink, ...values: unknown[]): void {
    const texts = values.map((value) =>
      typeof value === 'string' ? value : JSON.stringify(value),
    );
    this.sunk.get(sink)?.push(...texts.filter((text) => text !== undefined));
  }

  textOf(sink: Sink): string {
    return this.sunk.get(sink)?.join('\n') ?? '';
  }

  /** Makes the active editor return the same document from now on, as VS Code does. */
  keepDocument(): void {
    this.#kept = this.#document();
  }

  override fire(event: string, value: unknown = {}): void {
    for (const listener of this.held.get(event) ?? [])
      (listener as (value: unknown) => void)(value);
  }

  /**
   * The number of objects and listeners in `held`, by kind. Kinds with a count of 0 are left out.
   */
  get heldCounts(): Readonly<Record<string, number>> {
    const counts = [...this.held].map(([kind, all]) => [kind, all.size] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** Keeps an object in `held` until the returned disposable is disposed. */
  #hold(kind: string, thing: unknown): { dispose(): void } {
    const all = this.held.get(kind) ?? new Set();
    this.held.set(kind, all.add(thing));
    return { dispose: () => void all.delete(thing) };
  }

  #event(name: string) {
    return (listener: unknown) => {
      if (this.broken === 'windows' && name === 'window state') throw new Error('no windows');
      if (this.broken === 'tabs' && name === 'tabs') throw new Error('no tabs');
      return this.#hold(name, listener);
    };
  }

  /** Creates the exports only once, because the code in `src` accesses them thousands of times. */
  override exports(): Record<string, unknown> {
    this.#exports ??= this.#makeExports(super.exports());
    return this.#exports;
  }

  #makeExports(base: Record<string, unknown>): Record<string, unknown> {
    const workspace = base['workspace'] as { readonly fs: unknown };
    const own = (from: unknown, values: Record<string, unknown>) =>
      Object.create(from as object, Object.getOwnPropertyDescriptors(values));
    const notebooks = () => (this.isNotebookCell ? [this.#notebook()] : []);
    return {
      ...base,
      window: own(base['window'], this.#window()),
      workspace: own(workspace, {
        isTrusted: true,
        onDidChangeConfiguration: this.#event('configuration'),
        onDidChangeTextDocument: this.#event('text'),
        onDidOpenTextDocument: this.#event('opened document'),
        onDidSaveTextDocument: this.#event('saved document'),
        onDidGrantWorkspaceTrust: this.#event('trust'),
        onDidChangeWorkspaceFolders: this.#event('folders'),
        onDidRenameFiles: this.#event('renamed files'),
        onDidCloseTextDocument: this.#event('closed document'),
        registerTextDocumentContentProvider: (scheme: string) => this.#hold('provider', scheme),
        get notebookDocuments() {
          return notebooks();
        },
        fs: own(Reflect.get(base['workspace'] as object, 'fs'), {
          createDirectory: async () => {},
          readDirectory: async () => [],
          writeFile: async ({ path }: Scope, content: Uint8Array) =>
            this.sink(
              path.includes('/usage/') ? 'counter files' : 'document',
              path,
              Buffer.from(content).toString(),
            ),
        }),
        getConfiguration: (_: string, scope?: Scope) => this.#configuration(scope),
        openTextDocument: async (options: { readonly content?: string }) => {
          this.sink('document', options);
          return this.#document(options.content);
        },
        applyEdit: async ({ texts }: FakeEdit) => {
          this.sink('document', ...texts);
          return true;
        },
      }),
      commands: own(base['commands'], {
        registerCommand: (name: string, run: () => Promise<unknown>) => {
          if (name === this.takenCommand) throw new Error(`command '${name}' already exists`);
          return (base['commands'] as Commands).registerCommand(name, run);
        },
        executeCommand: (name: string, ...values: unknown[]) => {
          this.sink('context key', name, values);
          return this.run(name);
        },
      }),
      env: { appName: 'Fake', clipboard: { writeText: async (text: string) => this.#copy(text) } },
      languages: {},
      Range: FakeRange,
      WorkspaceEdit: FakeEdit,
      MarkdownString: FakeMarkdown,
      Disposable: FakeDisposable,
      EndOfLine: { LF: 1, CRLF: 2 },
      StatusBarAlignment: { Left: 1, Right: 2 },
      UIKind: { Desktop: 1, Web: 2 },
      ProgressLocation: { Notification: 15, Window: 10 },
      ViewColumn: { Beside: -2 },
      ...Object.fromEntries(OTHERS.map((name) => [name, Empty])),
    };
  }

  #configuration(scope?: Scope): unknown {
    return {
      get: (name: string) => this.setting(name, scope),
      inspect: (name: string) => {
        const value = this.userSettings.get(name);
        const workspaceValue = this.folderSettings.get(name);
        const workspaceFolderValue = this.settingOfFolder(name, scope);
        return {
          globalValue: value,
          globalLocalValue: value,
          workspaceValue,
          workspaceFolderValue,
        };
      },
      update: async (name: string, value: unknown) => {
        if (this.broken === 'settings file') throw new Error('The file has unsaved changes.');
        this.scopes.push(scope?.path);
        this.sink('settings', name, value);
      },
    };
  }

  #window(): Record<string, unknown> {
    const decoration = () => this.#hold('decoration', {});
    const message = async (text: string, ...rest: unknown[]) => {
      checkLength(text, rest);
      this.sink('notification', text, rest);
      return [this.button, 'Sign Out'].find((button) => rest.includes(button));
    };
    const activeTextEditor = () => ({
      document: this.#kept ?? this.#document(),
      selections: (this.selections ?? [[0, this.text.length]]).map(
        ([from, to]) => new FakeRange(placeAt(from), placeAt(to)),
      ),
      setDecorations: () => {},
    });
    const state = () => ({ focused: this.isFocused });
    return {
      get activeTextEditor() {
        return activeTextEditor();
      },
      visibleTextEditors: [],
      get state() {
        return state();
      },
      tabGroups: { onDidChangeTabs: this.#event('tabs'), all: [], activeTabGroup: {} },
      onDidChangeWindowState: this.#event('window state'),
      onDidChangeActiveTextEditor: this.#event('active editor'),
      createTextEditorDecorationType: decoration,
      showErrorMessage: message,
      showWarningMessage: message,
      showInformationMessage: message,
      showTextDocument: async () => {},
      showInputBox: async (options: unknown) => this.sink('input box', options),
      showQuickPick: async (items: unknown, options: unknown) =>
        this.sink('quick pick', await items, options),
      createInputBox: () => this.#list('input box'),
      createQuickPick: () => this.#list('quick pick'),
      createStatusBarItem: (id: string) => this.#statusItem(id),
      createOutputChannel: () => this.#log(),
      withProgress: async (options: unknown, work: (...values: unknown[]) => unknown) => {
        this.sink('progress', options);
        const report = (value: unknown) => this.sink('progress', value);
        const buttons: { dispose(): void }[] = [];
        const onCancellationRequested = (cancel: () => void) => {
          const button = this.#hold('cancel button', cancel);
          buttons.push(button);
          return button;
        };
        try {
          return await work({ report }, { onCancellationRequested });
        } finally {
          // VS Code removes the buttons together with the notification.
          for (const button of buttons) button.dispose();
        }
      },
    };
  }

  #document(text = this.text): unknown {
    const isClosed = () => this.isDocumentClosed;
    return {
      uri: this.#uri(this.isNotebookCell ? 'vscode-notebook-cell' : 'file'),
      languageId: this.languageId,
      get isClosed() {
        return isClosed();
      },
      lineCount: 1,
      getText: (range?: FakeRange) => text.slice(range?.start.character, range?.end.character),
      offsetAt: ({ character }: Place) => character,
      positionAt: placeAt,
      lineAt: () => ({ text, firstNonWhitespaceCharacterIndex: 0, range: this.#all() }),
    };
  }

  #notebook(): unknown {
    return { uri: this.#uri('file'), getCells: () => [{ document: this.#document() }] };
  }

  #uri(scheme: string): Scope {
    const { path } = this;
    return { scheme, path, ...{ fsPath: path, toString: () => `${scheme}://${path}` } };
  }

  #all(): FakeRange {
    return new FakeRange(placeAt(0), placeAt(this.text.length));
  }

  #copy(text: string): void {
    this.sink('clipboard', text);
    if (text.startsWith('Hosted Model ')) this.sink('report', text);
  }

  #log(): unknown {
    const write = (text: string) => {
      this.sink('log', text);
      this.sink('file log', `[trace] ${text}\n`);
      this.onLog();
    };
    const levels = ['trace', 'debug', 'info', 'warn', 'error', 'append', 'appendLine'];
    return {
      ...Object.fromEntries(levels.map((level) => [level, write])),
      show: () => {},
      ...this.#hold('log', {}),
    };
  }

  #keepTooltip(tooltip: FakeMarkdown): void {
    this.tooltips.push(tooltip);
    this.sink('tooltip', tooltip.given);
  }

  /** Disposing an item also removes a newer item with the same ID, as in VS Code. */
  #statusItem(id: string): unknown {
    if (this.broken === 'status bar') throw new Error('no status bar');
    const set = (_: unknown, name: string | symbol, value: unknown) => {
      if (name === 'tooltip') this.#keepTooltip(value as FakeMarkdown);
      else this.sink('status text', value);
      return true;
    };
    this.#statusItems.set(id, this.#hold('status item', {}));
    const dispose = () => {
      if (this.broken === 'windows') throw new Error('it stays');
      this.#statusItems.get(id)?.dispose();
    };
    return new Proxy({ show: () => {}, dispose }, { set });
  }

  /**
   * A list or input box. By default, it closes as soon as it's shown. The service list accepts its
   * first item. The lists in `LISTS_TO_READ` stay open until their items arrive. *Select Model*
   * then accepts `modelToPick`, or closes if the model isn't listed. *Diagnose Connection* accepts
   * an item that copies text, and closes when its items are next updated.
   */
  #list(sink: Sink): unknown {
    let hide = () => {};
    let accept = () => {};
    let hasCopied = false;
    const shown: Record<string, unknown> = {
      busy: false,
      show: () => {
        if (shown['placeholder'] === ASKS_SERVICE) {
          shown['selectedItems'] = (shown['items'] as unknown[]).slice(0, 1);
          later(accept);
        } else if (!LISTS_TO_READ.includes(String(shown['title']))) hide();
      },
      hide: () => hide(),
      dispose: () => {},
      onDidHide: (listener: () => void) => {
        hide = listener;
        return { dispose: () => {} };
      },
      onDidAccept: (listener: () => void) => {
        accept = listener;
        return { dispose: () => {} };
      },
    };
    return new Proxy(shown, {
      get: (_, name) => shown[String(name)] ?? (() => ({ dispose: () => {} })),
      set: (_, name, value) => {
        shown[String(name)] = value;
        this.sink(sink, value);
        if (name !== 'items') return true;
        const items = value as { readonly does?: string; readonly id?: string }[];
        if (shown['title'] === 'Select Model') {
          const selected = items.filter(({ id }) => id === this.modelToPick);
          shown['selectedItems'] = selected;
          return later(selected.length > 0 ? accept : hide);
        }
        const copy = items.find(({ does }) => does === 'copy');
        if (!copy) return true;
        shown['selectedItems'] = [copy];
        later(hasCopied ? hide : accept);
        hasCopied = true;
        return true;
      },
    });
  }
}

/** Placeholder of the service list, whose first item is accepted to open the key prompt. */
const ASKS_SERVICE = 'Select a service';
/** Titles of the lists that stay open because their items arrive after the lists are shown. */
const LISTS_TO_READ: readonly string[] = ['Diagnose Connection', 'Select Model'];

/** Exports of `vscode` that `src` imports but these tests don't use. */
const OTHERS = [
  ...['CodeAction', 'CodeActionKind', 'CompletionItem', 'CompletionItemKind', 'Diagnostic'],
  ...['DiagnosticSeverity', 'Selection', 'SnippetString', 'TabInputNotebook', 'TabInputText'],
  ...['TabInputTextDiff', 'TextDocumentChangeReason', 'TextEditorRevealType', 'ThemeColor'],
  'ThemeIcon',
] as const;

function later(run: () => void): boolean {
  setImmediate(run);
  return true;
}

export function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
