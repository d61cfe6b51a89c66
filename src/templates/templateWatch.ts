import type { Disposable } from 'vscode';
import { whenOpened } from '../ui/whenOpened.ts';
import { isTemplateFile } from './templateDocument.ts';

const loadFeature = () =>
  import('./templateFeature.ts').then(({ startTemplateFiles }) => startTemplateFiles());

/** Looks after the template files of a trusted workspace once one of them is open. */
export function registerTemplateFiles(load: () => Promise<Disposable> = loadFeature): Disposable {
  return whenOpened((uri) => isTemplateFile({ uri }), load);
}
