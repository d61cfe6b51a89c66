/**
 * The code that the small peer extensions share. The extensions differ only in how they send
 * requests.
 */
import { json } from 'node:stream/consumers';
import { commands, type ExtensionContext, type TextEditor, window } from 'vscode';
import { chatRequest, eventReader, tokenRequest } from '../../callers/caller.ts';
import type { Addresses } from './protocol.ts';

/**
 * Sends a request to the service, and passes the text of each event in the response to `onText`.
 */
type Ask = (
  addresses: Addresses,
  prompt: string,
  onText: (text: string) => Promise<void>,
) => Promise<void>;

/** Sends a POST request, and returns the bytes of the response as they arrive. */
type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<AsyncIterable<Uint8Array>>;

/**
 * Creates the `activate` function of an extension with one command. The command sends the selected
 * text. For each response event that has text, it makes and awaits one edit at the end of the
 * document. If VS Code rejects an edit, for example because the user typed something, the edit is
 * retried.
 */
export function generating(command: string, ask: Ask): (context: ExtensionContext) => void {
  const generate = async (addresses: Addresses) => {
    const editor = window.activeTextEditor as TextEditor;
    const { document, selection } = editor;
    const end = () => document.lineAt(document.lineCount - 1).range.end;
    let before = '\n';
    await ask(addresses, document.getText(selection), async (text) => {
      if (text === '') return;
      while (!(await editor.edit((builder) => builder.insert(end(), before + text))));
      before = '';
    });
  };
  return ({ subscriptions }) => {
    subscriptions.push(commands.registerCommand(command, generate));
  };
}

interface Token {
  readonly access_token: string;
  /** Seconds since 1970. */
  readonly expiration: number;
}

/** Returns a function that sends requests, and reuses its token until the token expires. */
export function askingWith(post: Post): Ask {
  let token: Token = { access_token: '', expiration: 0 };
  return async ({ authUrl, url }, prompt, onText) => {
    if (token.expiration * 1_000 <= Date.now()) {
      const { path, headers, body } = tokenRequest;
      token = (await json(await post(authUrl + path, headers, body))) as Token;
    }
    const { path, headers, body } = chatRequest('stream', token.access_token, prompt);
    const texts: string[] = [];
    const read = eventReader((text) => texts.push(text));
    const decoder = new TextDecoder();
    for await (const chunk of await post(url + path, headers, body)) {
      read(decoder.decode(chunk, { stream: true }));
      for (const text of texts.splice(0)) await onText(text);
    }
  };
}
