import { commands, type ExtensionContext, type TextEditor, window } from 'vscode';
import { type ChatAnswer, chatRequest, fetchToken, textOf } from '../../callers/caller.ts';

/** Sends the selected text, waits for the whole response, and inserts it below the selection. */
async function generate({ url, token }: { url: string; token: string }): Promise<void> {
  const editor = window.activeTextEditor as TextEditor;
  const { document, selection } = editor;
  const { path, headers, body } = chatRequest('call', token, document.getText(selection));
  const response = await fetch(url + path, { method: 'POST', headers, body });
  const answer = (await response.json()) as ChatAnswer;
  const place = document.lineAt(selection.end.line).range.end;
  await editor.edit((builder) => builder.insert(place, `\n${textOf(answer)}`));
}

export function activate({ subscriptions, secrets }: ExtensionContext): void {
  subscriptions.push(commands.registerCommand('bench.fetchAndEdit', generate));
  /** Also reads a key and gets a token, as the product does. */
  const generateWithKey = async ({ url }: { url: string }) => {
    await secrets.get('key');
    await generate({ url, token: await fetchToken(url) });
  };
  subscriptions.push(commands.registerCommand('bench.keyTokenFetchAndEdit', generateWithKey));
}
