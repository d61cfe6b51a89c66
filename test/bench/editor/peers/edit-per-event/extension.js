const { commands, window } = require('vscode');

/**
 * Sends the selected text and awaits one edit for each event of the answer, at the end of the
 * document. An edit that VS Code refuses, since somebody typed meanwhile, is made again.
 */
async function generate({ url, headers, body }) {
  const editor = window.activeTextEditor;
  const { document, selection } = editor;
  const messages = [{ role: 'user', content: document.getText(selection) }];
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, messages }),
  });
  const append = async (text) => {
    const end = () => document.lineAt(document.lineCount - 1).range.end;
    while (!(await editor.edit((builder) => builder.insert(end(), text))));
  };
  let [rest, before] = ['', '\n'];
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const text = JSON.parse(line.slice('data: '.length)).choices[0]?.delta.content;
      if (!text) continue;
      await append(before + text);
      before = '';
    }
  }
}

exports.activate = ({ subscriptions }) => {
  subscriptions.push(commands.registerCommand('bench.editPerEvent', generate));
};
