import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import type { Uri } from 'vscode';
import { installEditor } from '../../unit/connection/fakeEditor.ts';
import type { FakeKeyring, FakeState } from '../../unit/connection/fakes.ts';
import { textsOfError } from '../../unit/service/canaries.ts';
import type { SinkEditor } from './sinkEditor.ts';

/**
 * Activates the whole extension in plain Node, with a fake editor that records all text from the
 * extension. Pauses are shorter than in a real window. The errors behind reported failures are
 * recorded too.
 */

const MARK = '?window';

/**
 * Changes that are made to source files as they're loaded. Each change consists of the file, the
 * original text, and its replacement.
 */
const CHANGES: readonly (readonly [file: string, from: string, to: string])[] = [
  ['/src/service/http/http.ts', 'waitMs: retryWaitMs', 'waitMs: () => 1'],
  ['/src/status/statusItem.ts', 'PAINT_AFTER_MS = 16', 'PAINT_AFTER_MS = 1'],
  [
    '/src/diagnose/reportFailure.ts',
    'const message = messageFor(cause, context);',
    'globalThis.reportedToTest(cause); const message = messageFor(cause, context);',
  ],
];

/** The folder where the extension stores files. */
export const STORAGE = { scheme: 'file', path: '/storage' } as Uri;

const turn = () => new Promise((resolve) => setImmediate(resolve));
/** The real `setTimeout`, even while a test mocks the global function. */
const { setTimeout: startTimer } = globalThis;
/**
 * Resolves after all pending repaints of the status item. The timers for these repaints also have a
 * delay of 1 ms, and timers with the same delay fire in order.
 */
const painted = () => new Promise((resolve) => startTimer(resolve, 1));

/** State that outlives a window. */
export interface Stores {
  readonly keyring: FakeKeyring;
  readonly globalState: FakeState;
  readonly workspaceState: FakeState;
}

/** Runs one of the extension's commands. */
type Run = (command: string, ...args: readonly unknown[]) => Promise<void>;

export interface OpenWindow {
  run: Run;
  /** Closes the window as VS Code does, by disposing of the extension's subscriptions. */
  close(): Promise<void>;
}

export interface Windows {
  start(editor: SinkEditor, stores: Stores): Promise<OpenWindow>;
  /** Makes this editor the current one and calls `make` without starting the extension. */
  showing<Made>(editor: SinkEditor, make: () => Made): Made;
  /** Opens a window, runs `work` in it, and closes it. */
  open(editor: SinkEditor, stores: Stores, work: (run: Run) => Promise<void>): Promise<void>;
  end(): void;
}

export function windows(firstEditor: SinkEditor): Windows {
  let current = firstEditor;
  const editorHooks = installEditor(() => current);
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      const isOurs = context.parentURL?.includes(MARK) && found.url.includes('/src/');
      return isOurs && !found.url.includes(MARK) ? { ...found, url: found.url + MARK } : found;
    },
    load: (url, context, next) => {
      if (!url.endsWith(MARK)) return next(url, context);
      const loaded = next(url, context);
      const changes = CHANGES.filter(([file]) => url.endsWith(file + MARK));
      if (changes.length === 0) return loaded;
      let source = String(Buffer.from(loaded.source as Uint8Array));
      for (const [file, from, to] of changes) {
        assert.ok(source.includes(from), `${from} in ${file}`);
        source = source.replace(from, () => to);
      }
      return { ...loaded, source };
    },
  });
  Object.assign(globalThis, {
    reportedToTest: (error: unknown) => current.sink('thrown error', textsOfError(error)),
  });

  const start: Windows['start'] = async (editor, stores) => {
    const { keyring, globalState, workspaceState } = stores;
    current = editor;
    const source = (name: string) => new URL(`../../../src/${name}${MARK}`, import.meta.url).href;
    const { activate } = await import(source('extension.ts'));
    const subscriptions: { dispose(): void }[] = [];
    const stopListening = listen(editor);
    try {
      const states = { globalState, workspaceState, globalStorageUri: STORAGE };
      const extension = { id: 'hosted-model.hosted-model', packageJSON: { version: '0' } };
      activate({ subscriptions, secrets: keyring.window(), extension, ...states });
      await turn();
    } catch (error) {
      stopListening();
      throw error;
    }
    return {
      run: async (command, ...args) => {
        editor.sink('command result', await editor.run(`hostedModel.${command}`, ...args));
        await painted();
      },
      close: async () => {
        for (const subscription of subscriptions) subscription.dispose();
        await turn();
        editor.sink('global state', Object.fromEntries(globalState.values));
        editor.sink('workspace state', Object.fromEntries(workspaceState.values));
        stopListening();
      },
    };
  };
  const open: Windows['open'] = async (editor, stores, work) => {
    const opened = await start(editor, stores);
    try {
      await work(opened.run);
      await painted();
    } finally {
      await opened.close();
    }
  };
  return {
    start,
    showing: (editor, make) => {
      current = editor;
      return make();
    },
    open,
    end: () => {
      hooks.deregister();
      editorHooks.deregister();
      Reflect.deleteProperty(globalThis, 'reportedToTest');
    },
  };
}

/**
 * Records the process's output, warnings, and unhandled rejections. Returns a function that stops
 * recording.
 */
function listen(editor: SinkEditor): () => void {
  const streams = [process.stdout, process.stderr].map((stream) => {
    const write = stream.write;
    stream.write = (chunk: unknown) => {
      editor.sink('stdout and stderr', String(chunk));
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  const warn = (warning: unknown) => editor.sink('process warning', textsOfError(warning));
  process.on('warning', warn);
  process.on('unhandledRejection', warn);
  return () => {
    for (const restore of streams) restore();
    process.removeListener('warning', warn);
    process.removeListener('unhandledRejection', warn);
  };
}
