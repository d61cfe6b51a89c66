import { type Disposable, languages, Range, TextEdit } from 'vscode';

/**
 * Registers a formatter that puts exactly one space on each side of an equals sign, and trims
 * trailing whitespace.
 */
export function registerFormatter(language: string): Disposable {
  return languages.registerDocumentFormattingEditProvider(
    { language },
    {
      provideDocumentFormattingEdits: (document) => {
        const text = document.getText();
        const formatted = text.replace(/[ \t]*=[ \t]*/g, ' = ').replace(/[ \t]+$/gm, '');
        const whole = new Range(document.positionAt(0), document.positionAt(text.length));
        return [TextEdit.replace(whole, formatted)];
      },
    },
  );
}
