import type { Sink, SinkEditor } from './sinkEditor.ts';
import { type OpenWindow, STORAGE, type Stores } from './window.ts';

interface SinkContext {
  readonly editor: SinkEditor;
  readonly stores: Stores;
  readonly opened: OpenWindow;
}

/** For each sink, a function that writes text to it in an open window, as the extension does. */
export const sinkWriters: Readonly<Record<Sink, (text: string, context: SinkContext) => unknown>> =
  {
    log: (text, context) => logOf(context).info(text),
    'file log': (text, context) => logOf(context).trace(text),
    notification: (text, context) => api(context).window.showErrorMessage(text),
    'status text': (text, context) => {
      api(context).window.createStatusBarItem().text = text;
    },
    tooltip: (text, context) => {
      const { window, MarkdownString } = api(context);
      window.createStatusBarItem().tooltip = new MarkdownString().appendText(text);
    },
    progress: (text, context) => {
      const { window, ProgressLocation } = api(context);
      const options = { location: ProgressLocation.Window };
      return window.withProgress(options, async (progress) => progress.report({ message: text }));
    },
    'quick pick': (text, context) => api(context).window.showQuickPick([text]),
    'input box': (text, context) => api(context).window.showInputBox({ prompt: text }),
    document: (text, context) => api(context).workspace.openTextDocument({ content: text }),
    report: (text, context) => api(context).env.clipboard.writeText(`Hosted Model ${text}`),
    clipboard: (text, context) => api(context).env.clipboard.writeText(text),
    'context key': (text, context) =>
      api(context).commands.executeCommand('setContext', 'any', text),
    'command result': (text, context) => {
      api(context).commands.registerCommand('hostedModel.any', async () => text);
      return context.opened.run('any');
    },
    settings: (text, context) => api(context).workspace.getConfiguration().update('any', text),
    'global state': (text, { stores }) => stores.globalState.update('any', text),
    'workspace state': (text, { stores }) => stores.workspaceState.update('any', text),
    'counter files': (text, context) => {
      const { workspace, Uri } = api(context);
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

function api({ editor }: SinkContext): typeof import('vscode') {
  return editor.exports() as unknown as typeof import('vscode');
}

function logOf(context: SinkContext) {
  return api(context).window.createOutputChannel('any', { log: true });
}
