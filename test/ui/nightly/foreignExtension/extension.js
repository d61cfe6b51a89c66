/** Calls a model from another extension, as any extension can, and shows the result. */
const { commands, LanguageModelChatMessage, lm, window } = require('vscode');

exports.activate = ({ subscriptions }) => {
  subscriptions.push(
    commands.registerCommand('foreign.call', async () => {
      try {
        const [model] = await lm.selectChatModels({ vendor: 'hosted-model' });
        const answer = await model.sendRequest([LanguageModelChatMessage.User('Spend something.')]);
        let text = '';
        for await (const part of answer.text) text += part;
        window.showInformationMessage(`Foreign got: ${text.slice(0, 40)}`);
      } catch (error) {
        window.showInformationMessage(`Foreign failed: ${error.code}: ${error.message}`);
      }
    }),
  );
};
