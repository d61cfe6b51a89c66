import {
  CompletionItem,
  CompletionItemKind,
  type Disposable,
  languages,
  type Position,
  Range,
  SnippetString,
  type TextDocument,
} from 'vscode';
import { type Suggestion, suggestionsAt } from './suggestions.ts';
import { isTemplateFile, TEMPLATES_PATH } from './templateDocument.ts';

/** Completion in template files: variables in the prompt, keys and insert modes above it. */

const KINDS: Readonly<Record<Suggestion['kind'], CompletionItemKind>> = {
  variable: CompletionItemKind.Variable,
  question: CompletionItemKind.Variable,
  key: CompletionItemKind.Property,
  mode: CompletionItemKind.EnumMember,
};

export function registerCompletion(insertModes: readonly string[]): Disposable {
  const provideCompletionItems = (document: TextDocument, position: Position): CompletionItem[] => {
    if (!isTemplateFile(document)) return [];
    const offset = document.offsetAt(position);
    const found = suggestionsAt(document.getText(), offset, insertModes);
    if (!found) return [];
    const { offset: from, length } = found.replaced;
    const range = new Range(document.positionAt(from), document.positionAt(from + length));
    return found.items.map((suggestion, index) => itemOf(suggestion, index, range));
  };
  return languages.registerCompletionItemProvider(
    { pattern: `**/${TEMPLATES_PATH}/*.md` },
    { provideCompletionItems },
    '{',
  );
}

function itemOf({ kind, label, newText }: Suggestion, index: number, range: Range): CompletionItem {
  const item = new CompletionItem(label, KINDS[kind]);
  item.range = range;
  // By default they would stand by alphabet.
  item.sortText = String(index);
  item.insertText = kind === 'question' ? new SnippetString(newText) : newText;
  return item;
}
