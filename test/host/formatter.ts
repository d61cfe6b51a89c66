import { type Disposable, languages, Range, TextEdit } from 'vscode';

/** A formatter that gives every equals sign one blank on both sides, and lines no blanks at their end. */
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
