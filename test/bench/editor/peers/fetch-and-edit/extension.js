const { commands, window } = require('vscode');

/** Sends the selected text, awaits the whole answer and inserts it below, with nothing around it. */
async function generate({ url, headers, body }) {
  const editor = window.activeTextEditor;
  const { document, selection } = editor;
  const messages = [{ role: 'user', content: document.getText(selection) }];
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, messages }),
  });
  const { choices } = await response.json();
  const place = document.lineAt(selection.end.line).range.end;
  await editor.edit((builder) => builder.insert(place, `\n${choices[0].message.content}`));
}

exports.activate = ({ subscriptions }) => {
  subscriptions.push(commands.registerCommand('bench.fetchAndEdit', generate));
};
