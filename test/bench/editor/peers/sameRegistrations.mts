import {
  commands,
  EventEmitter,
  type ExtensionContext,
  StatusBarAlignment,
  window,
  workspace,
} from 'vscode';

/**
 * Registers everything that the product registers at activation, but with empty handlers. Like the
 * product, this extension is an ES module.
 */
export function activate({ extension, subscriptions, secrets }: ExtensionContext): void {
  const none = () => {};
  const log = window.createOutputChannel('Same Registrations', { log: true });
  const item = window.createStatusBarItem('bench.item', StatusBarAlignment.Right, 100);
  item.text = 'Same registrations';
  item.show();
  const changes = new EventEmitter<void>();
  subscriptions.push(
    log,
    item,
    changes,
    ...Array.from({ length: 18 }, (_, index) =>
      commands.registerCommand(`${extension.id}.${index}`, none),
    ),
    secrets.onDidChange(none),
    workspace.onDidChangeConfiguration(none),
    workspace.onDidOpenTextDocument(none),
    workspace.onDidGrantWorkspaceTrust(none),
    workspace.onDidChangeWorkspaceFolders(none),
    window.onDidChangeWindowState(none),
  );
}
