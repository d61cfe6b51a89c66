import type { Sink, SinkEditor } from './sinkEditor.ts';
import { type OpenWindow, STORAGE, type Stores } from './window.ts';

interface Way {
  readonly editor: SinkEditor;
  readonly stores: Stores;
  readonly opened: OpenWindow;
}

/** Functions that write text to each sink of an open window, as the extension's code does. */
export const WAYS: Readonly<Record<Sink, (text: string, way: Way) => unknown>> = {
  log: (text, way) => logOf(way).info(text),
  'file log': (text, way) => logOf(way).trace(text),
  notification: (text, way) => api(way).window.showErrorMessage(text),
  'status text': (text, way) => {
    api(way).window.createStatusBarItem().text = text;
  },
  tooltip: (text, way) => {
    const { window, MarkdownString } = api(way);
    window.createStatusBarItem().tooltip = new MarkdownString().appendText(text);
  },
  progress: (text, way) => {
    const { window, ProgressLocation } = api(way);
    const options = { location: ProgressLocation.Window };
    return window.withProgress(options, async (progress) => progress.report({ message: text }));
  },
  'quick pick': (text, way) => api(way).window.showQuickPick([text]),
  'input box': (text, way) => api(way).window.showInputBox({ prompt: text }),
  document: (text, way) => api(way).workspace.openTextDocument({ content: text }),
  report: (text, way) => api(way).env.clipboard.writeText(`Hosted Model ${text}`),
  clipboard: (text, way) => api(way).env.clipboard.writeText(text),
  'context key': (text, way) => api(way).commands.executeCommand('setContext', 'any', text),
  'command result': (text, way) => {
    api(way).commands.registerCommand('hostedModel.any', async () => text);
    return way.opened.run('any');
  },
  settings: (text, way) => api(way).workspace.getConfiguration().update('any', text),
  'global state': (text, { stores }) => stores.globalState.update('any', text),
  'workspace state': (text, { stores }) => stores.workspaceState.update('any', text),
  'counter files': (text, way) => {
    const { workspace, Uri } = api(way);
    return workspace.fs.writeFile(Uri.joinPath(STORAGE, 'usage', 'any'), Buffer.from(text));
  },
  'stdout and stderr': (text) => console.error(text),
  'thrown error': (text) => {
    const { reportedToTest } = globalThis as unknown as {
      readonly reportedToTest: (error: unknown) => void;
    };
    reportedToTest(new Error('outer', { cause: new Error(text) }));
  },
  'process warning': (text) => {
    // Prevents Node from printing the warning.
    const { noDeprecation = false } = process;
    process.noDeprecation = true;
    process.emit('warning', Object.assign(new Error(text), { name: 'DeprecationWarning' }));
    process.noDeprecation = noDeprecation;
  },
};

function api({ editor }: Way): typeof import('vscode') {
  return editor.exports() as unknown as typeof import('vscode');
}

function logOf(way: Way) {
  return api(way).window.createOutputChannel('any', { log: true });
}
