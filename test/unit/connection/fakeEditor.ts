import { registerHooks } from 'node:module';
import { posix } from 'node:path';
import type { MessageItem, MessageOptions } from 'vscode';

/**
 * A fake VS Code window that tests control completely. For example, a test can change a setting
 * while a prompt is open. Import this module before any module that needs `vscode`.
 */

interface Address {
  readonly scheme: string;
  readonly path: string;
  readonly fsPath: string;
  toString(): string;
}

/** The parts of a document's URI that determine which settings apply to the document. */
export type Scope = Pick<Address, 'scheme' | 'path'>;

/** The `ConfigurationTarget` of the user settings. */
const USER = 1;

type DocumentListener = (document: { readonly uri: Address }) => void;

type FileEvent = 'create' | 'change' | 'delete';
type FileListener = (uri: Address) => void;

export interface ModalPrompt {
  readonly text: string;
  readonly detail: string;
  readonly buttons: readonly string[];
  /** Presses the button with this label, or closes the prompt if no label is given. */
  answer(label?: string): Promise<void>;
}

/**
 * Checks that a notification is short enough for VS Code to show its whole text. A notification
 * without buttons has only one line, so its text may have at most 60 characters, not counting
 * quoted names.
 * @throws {Error} if the text is too long
 */
export function checkLength(text: string, buttons: readonly unknown[]): void {
  const isCut = buttons.length === 0 && text.replaceAll(/“[^”]*”/g, '“”').length > 60;
  if (isCut) throw new Error(`A notification without buttons has more than one line: ${text}`);
}

/** Clicks Back in an input from `createInputBox` or `createQuickPick` instead of answering it. */
export const BACK = '<back>';

export class FakeEditor {
  isTrusted = true;
  folders: { readonly uri: Address; readonly name: string; readonly index: number }[] = [];
  activeFile: string | undefined;
  activeScheme = 'file';
  workspaceFile: Address | undefined;
  readonly userSettings = new Map<string, unknown>();
  readonly folderSettings = new Map<string, unknown>();
  /** Settings that apply to only one folder of a workspace, keyed by the folder's path. */
  readonly settingsByFolder = new Map<string, ReadonlyMap<string, unknown>>();
  /** The `ConfigurationTarget` of each write to a setting, in order. */
  readonly targets: number[] = [];
  /**
   * Settings that are overridden elsewhere, such as in a remote machine's settings file. Changes to
   * these settings have no effect.
   */
  readonly overriddenSettings = new Set<string>();
  readonly files = new Map<string, string>();
  /** If defined, every file lookup fails with this error. */
  statError: Error | undefined;
  /** File lookups wait for this promise, as on a slow file system. */
  beforeFiles: Promise<void> = Promise.resolve();
  readonly #commands = new Map<string, (...args: readonly unknown[]) => Promise<unknown>>();
  readonly #openListeners: DocumentListener[] = [];
  readonly #saveListeners = new Set<DocumentListener>();
  readonly #fileListeners: Readonly<Record<FileEvent, Set<FileListener>>> = {
    create: new Set(),
    change: new Set(),
    delete: new Set(),
  };
  readonly listeners = {
    'active editor': new Set<(event: object) => void>(),
    configuration: new Set<(event: object) => void>(),
    folders: new Set<(event: object) => void>(),
  };
  /** The number of file reads. */
  reads = 0;
  readonly shownDocuments: string[] = [];
  readonly openDocuments: unknown[] = [];
  openModals: ModalPrompt[] = [];
  /** The number of modal prompts so far. */
  modalCount = 0;
  /**
   * The text of each non-modal message, and the validation messages that inputs show when they
   * open.
   */
  readonly messages: string[] = [];
  /** The number of input boxes and lists that were opened. */
  inputCount = 0;
  /**
   * The prompt of each input that was opened with `createInputBox` or `createQuickPick`, or
   * `undefined` for an input without a prompt.
   */
  readonly prompts: (string | undefined)[] = [];
  /**
   * What to pick or type in the lists that open next, in order: an item's label, or text to type.
   * If nothing is left, the list closes.
   */
  readonly picks: string[] = [];
  /**
   * Strings to type into the next input boxes, in order. If no string is left, an input box from
   * `createInputBox` closes, as if the user had pressed Escape.
   */
  readonly typed: string[] = [];
  /** The messages that input boxes and lists showed when they rejected an answer. */
  readonly rejections: unknown[] = [];
  /** The selected text in the active file. */
  selected = '';
  /**
   * Called with each answer before it is entered in an input from `createInputBox` or
   * `createQuickPick`.
   */
  beforeInput: (answer: string) => void = () => {};
  /** Called with a setting's name before the setting is written. */
  beforeUpdate: (name: string) => void = () => {};
  /**
   * Label of the button to press in each non-modal warning or information message. A message
   * without this button is closed.
   */
  pressed: string | undefined;

  addFolder(path: string, scheme = 'file'): void {
    this.folders.push({
      uri: addressOf(path, scheme),
      name: path.slice(1),
      index: this.folders.length,
    });
  }

  /** Runs a registered command. Errors are thrown, not shown. */
  async run(command: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.#commands.get(command)?.(...args);
  }

  /** Fires a window, settings, or workspace event. */
  fire(event: keyof FakeEditor['listeners']): void {
    for (const listener of this.listeners[event]) listener({ affectsConfiguration: () => true });
  }

  /** Notifies the listeners that a document was opened. */
  open(path: string): void {
    for (const listener of this.#openListeners) listener({ uri: addressOf(path) });
  }

  /** Changes a file, and notifies the listeners that its document was saved. */
  save(path: string, text: string): void {
    this.files.set(path, text);
    for (const listener of this.#saveListeners) listener({ uri: addressOf(path) });
  }

  /** Notifies the file watchers of a change by another program. */
  watched(event: FileEvent, path: string): void {
    for (const listener of this.#fileListeners[event]) listener(addressOf(path));
  }

  async modalPrompt(): Promise<ModalPrompt> {
    // Allows enough turns of the event loop for real files to be read before the prompt opens, even
    // on a busy machine.
    for (let turns = 0; turns < 50_000 && this.openModals.length === 0; turns += 1) await turn();
    const [question] = this.openModals;
    if (!question) throw new Error('No prompt was opened.');
    return question;
  }

  ask(text: string, rest: readonly unknown[]): Promise<unknown> {
    const [options, ...items] = rest as [MessageOptions, ...(string | MessageItem)[]];
    if (options?.modal !== true) {
      checkLength(text, rest);
      this.messages.push(text);
      return Promise.resolve(rest.find((button) => button === this.pressed));
    }
    this.modalCount += 1;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const labelOf = (item: string | MessageItem) => (typeof item === 'string' ? item : item.title);
    const question: ModalPrompt = {
      text,
      detail: options.detail ?? '',
      buttons: items.map(labelOf),
      answer: async (label) => {
        this.openModals = this.openModals.filter((one) => one !== question);
        const close = items.find((item) => typeof item !== 'string' && item.isCloseAffordance);
        resolve(label === undefined ? close : items.find((item) => labelOf(item) === label));
        for (let turns = 0; turns < 20; turns += 1) await turn();
      },
    };
    this.openModals.push(question);
    return promise;
  }

  setting(name: string, scope?: Scope): unknown {
    const ofFolder = this.settingOfFolder(name, scope);
    return ofFolder ?? this.folderSettings.get(name) ?? this.userSettings.get(name);
  }

  settingOfFolder(name: string, scope?: Scope): unknown {
    const folder = scope && this.folderOf(scope);
    return folder && this.settingsByFolder.get(folder.uri.path)?.get(name);
  }

  /**
   * Returns the folder that contains a document. As in VS Code, the folder and the document must
   * have the same scheme.
   */
  folderOf({ scheme, path }: Scope): FakeEditor['folders'][number] | undefined {
    return this.folders.find(
      ({ uri }) => uri.scheme === scheme && `${path}/`.startsWith(`${uri.path}/`),
    );
  }

  /**
   * Returns the exports of a `vscode` module that uses this editor. Must contain every value that
   * `src` imports from `vscode`. If `src` uses a new function or event of `window` or `workspace`,
   * add it to `SinkEditor`, too.
   */
  exports(): Record<string, unknown> {
    const editor = this;
    const nothing = { dispose: () => {} };
    const listen =
      (event: keyof typeof editor.listeners) => (listener: (event: object) => void) => {
        editor.listeners[event].add(listener);
        return { dispose: () => editor.listeners[event].delete(listener) };
      };
    const input = (answers: string[]) => {
      editor.inputCount += 1;
      let hide = () => {};
      let accept = () => {};
      let change = (_text: string) => {};
      let goBack = () => {};
      let isOpen = true;
      let isAnswered = false;
      const shown = {
        busy: false,
        value: '',
        prompt: undefined as string | undefined,
        validationMessage: undefined as unknown,
        items: [] as readonly { readonly label: string; readonly description?: string }[],
        selectedItems: [] as readonly unknown[],
        show: () => {
          editor.prompts.push(shown.prompt);
          if (shown.validationMessage) editor.messages.push(String(shown.validationMessage));
          const answer = answers.shift();
          if (answer === undefined) return hide();
          editor.beforeInput(answer);
          if (answer === BACK) return goBack();
          shown.value = answer;
          change(answer);
          shown.selectedItems = shown.items.filter(
            ({ label, description }) => label === answer || description === answer,
          );
          isAnswered = true;
          accept();
          if (!isOpen || answers !== editor.typed) return;
          editor.rejections.push(shown.validationMessage);
          hide();
        },
        dispose: () => {
          isOpen = false;
        },
        onDidHide: (listener: () => void) => {
          hide = listener;
          return nothing;
        },
        onDidTriggerButton: (listener: (button: unknown) => void) => {
          goBack = () => listener(undefined);
          return nothing;
        },
        onDidChangeValue: (listener: (text: string) => void) => {
          change = listener;
          return nothing;
        },
        onDidAccept: (listener: () => void) => {
          accept = listener;
          return nothing;
        },
      };
      return new Proxy(shown, {
        get: (own, name) => Reflect.get(own, name) ?? (() => nothing),
        set: (own, name, value) => {
          // If the extension rejects the picked item, it sets `prompt` to the reason and leaves the
          // list open. Close the list, as a user would. While the list is busy, `prompt` shows the
          // progress instead.
          if (name === 'prompt' && isAnswered && !own.busy) {
            editor.rejections.push(value);
            hide();
          }
          return Reflect.set(own, name, value);
        },
      });
    };
    const onFile = (event: FileEvent) => (listener: FileListener) => {
      editor.#fileListeners[event].add(listener);
      return { dispose: () => editor.#fileListeners[event].delete(listener) };
    };
    const configuration = (scope?: Scope) => ({
      get: (name: string) => editor.setting(name, scope),
      inspect: (name: string) => ({
        globalValue: editor.userSettings.get(name),
        globalLocalValue: editor.userSettings.get(name),
        workspaceValue: editor.folderSettings.get(name),
        workspaceFolderValue: editor.settingOfFolder(name, scope),
      }),
      update: async (name: string, value: unknown, target: number) => {
        editor.beforeUpdate(name);
        editor.targets.push(target);
        if (editor.overriddenSettings.has(name)) return;
        (target === USER ? editor.userSettings : editor.folderSettings).set(name, value);
      },
    });
    return {
      window: {
        get activeTextEditor() {
          const path = editor.activeFile;
          if (path === undefined) return undefined;
          const document = {
            uri: addressOf(path, editor.activeScheme),
            getText: () => editor.selected,
          };
          return { document, selections: [{}] };
        },
        showWarningMessage: (text: string, ...rest: unknown[]) => editor.ask(text, rest),
        // The promise stays pending, because users can leave a notification open.
        showErrorMessage: (text: string) => {
          editor.messages.push(text);
          return new Promise(() => {});
        },
        showTextDocument: async ({ path }: Address) => {
          editor.#read(path);
          editor.shownDocuments.push(path);
        },
        showInformationMessage: (text: string, ...rest: unknown[]) => editor.ask(text, rest),
        showInputBox: async ({ value }: { readonly value?: string } = {}) => {
          editor.inputCount += 1;
          // If `typed` is empty, the prefilled value is accepted.
          return editor.typed.shift() ?? value;
        },
        showQuickPick: async (items: readonly { readonly label: string }[]) => {
          editor.inputCount += 1;
          const label = editor.picks.shift();
          return items.find((item) => item.label === label);
        },
        onDidChangeActiveTextEditor: listen('active editor'),
        createInputBox: () => input(editor.typed),
        createQuickPick: () => input(editor.picks),
      },
      workspace: {
        get isTrusted() {
          return editor.isTrusted;
        },
        get workspaceFile() {
          return editor.workspaceFile;
        },
        get workspaceFolders() {
          return editor.folders;
        },
        getWorkspaceFolder: (uri: Address) => editor.folderOf(uri),
        getConfiguration: (_: string, scope?: Scope) => configuration(scope),
        textDocuments: editor.openDocuments,
        onDidOpenTextDocument: (listener: DocumentListener) => {
          editor.#openListeners.push(listener);
          return nothing;
        },
        onDidSaveTextDocument: (listener: DocumentListener) => {
          editor.#saveListeners.add(listener);
          return { dispose: () => editor.#saveListeners.delete(listener) };
        },
        createFileSystemWatcher: () => ({
          onDidCreate: onFile('create'),
          onDidChange: onFile('change'),
          onDidDelete: onFile('delete'),
          dispose: () => {},
        }),
        onDidGrantWorkspaceTrust: () => nothing,
        onDidChangeConfiguration: listen('configuration'),
        onDidChangeWorkspaceFolders: listen('folders'),
        fs: {
          stat: async ({ path }: Address) => {
            await editor.beforeFiles;
            if (editor.statError) throw editor.statError;
            return { type: 1, size: editor.#read(path).length };
          },
          readFile: async ({ path }: Address) => {
            editor.reads += 1;
            return Buffer.from(editor.#read(path));
          },
          writeFile: async ({ path }: Address, bytes: Uint8Array) => {
            editor.files.set(path, Buffer.from(bytes).toString());
          },
        },
      },
      Uri: {
        joinPath: (uri: Address, ...names: string[]) =>
          addressOf(posix.join(uri.path, ...names), uri.scheme),
      },
      FileType: { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 },
      ConfigurationTarget: { Global: USER, Workspace: 2, WorkspaceFolder: 3 },
      ProgressLocation: { Notification: 15 },
      InputBoxValidationSeverity: { Error: 3 },
      QuickInputButtons: { Back: {} },
      ThemeIcon: class {},
      QuickPickItemKind: { Separator: -1 },
      Range: {},
      StatusBarAlignment: { Right: 2 },
      UIKind: { Desktop: 1, Web: 2 },
      commands: {
        executeCommand: (name: string, ...args: unknown[]) => editor.run(name, ...args),
        registerCommand: (name: string, run: () => Promise<unknown>) => {
          if (editor.#commands.has(name)) throw new Error(`command '${name}' already exists`);
          editor.#commands.set(name, run);
          return { dispose: () => editor.#commands.delete(name) };
        },
      },
      env: { appName: 'Fake', clipboard: { writeText: async () => {} } },
      extensions: { getExtension: () => undefined, onDidChange: () => nothing },
      version: { toString: () => '0' },
      Disposable: {
        from: (...all: { dispose?(): void }[]) => ({
          dispose: () => {
            for (const one of all) one.dispose?.();
          },
        }),
      },
      ...languageModelNames,
      lm: {
        registerLanguageModelChatProvider: () => nothing,
        registerTool: () => nothing,
        selectChatModels: async () => [],
      },
    };
  }

  #read(path: string): string {
    const text = this.files.get(path);
    if (text === undefined) {
      throw Object.assign(new Error('no such file'), { code: 'FileNotFound' });
    }
    return text;
  }
}

class FakeEmitter {
  readonly #listeners = new Set<(event: unknown) => void>();
  readonly event = (listener: (event: unknown) => void) => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };
  fire(event?: unknown): void {
    for (const listener of this.#listeners) listener(event);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

/** Fakes of the `vscode` exports that language model providers and tools use. */
const languageModelNames = {
  EventEmitter: FakeEmitter,
  LanguageModelToolResult: class {
    content: readonly unknown[];
    constructor(content: readonly unknown[]) {
      this.content = content;
    }
  },
  CancellationError: class extends Error {},
  LanguageModelError: { NoPermissions: (text: string) => new Error(text) },
  LanguageModelChatMessageRole: { User: 1, Assistant: 2 },
  LanguageModelChatToolMode: { Auto: 1, Required: 2 },
  LanguageModelTextPart: class {
    value: string;
    constructor(value: string) {
      this.value = value;
    }
  },
  LanguageModelPromptTsxPart: class {
    value: unknown;
    constructor(value: unknown) {
      this.value = value;
    }
  },
  LanguageModelDataPart: class {
    data: Uint8Array;
    mimeType: string;
    constructor(data: Uint8Array, mimeType: string) {
      this.data = data;
      this.mimeType = mimeType;
    }
  },
  LanguageModelToolCallPart: class {
    callId: string;
    name: string;
    input: object;
    constructor(callId: string, name: string, input: object) {
      this.callId = callId;
      this.name = name;
      this.input = input;
    }
  },
  LanguageModelToolResultPart: class {
    callId: string;
    content: readonly unknown[];
    constructor(callId: string, content: readonly unknown[]) {
      this.callId = callId;
      this.content = content;
    }
  },
};

/**
 * Makes `import 'vscode'` load a fake. Each call to one of the fake's functions uses the editor
 * that `current` returns at that time.
 */
export function installEditor(current: () => FakeEditor): { deregister(): void } {
  Object.assign(globalThis, { editorOfTest: () => current().exports() });
  const names = Object.keys(current().exports());
  // Each set of export names needs its own URL, because a loaded module can't change its exports.
  const own = `vscode:fake?${names.join('.')}`;
  const lines = names.map(
    (name) =>
      `export const ${name} = new Proxy(function () {}, {
        get: (_, key) => editorOfTest()['${name}'][key],
        construct: (_, values) => Reflect.construct(editorOfTest()['${name}'], values),
      });`,
  );
  return registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'vscode'
        ? { url: own, format: 'module', shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) =>
      url === own
        ? { format: 'module', source: lines.join('\n'), shortCircuit: true }
        : next(url, context),
  });
}

function addressOf(path: string, scheme = 'file'): Address {
  return { scheme, path, fsPath: path, toString: () => `${scheme}://${path}` };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
