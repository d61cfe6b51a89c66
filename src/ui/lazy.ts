import { Disposable, type TextDocument, workspace } from 'vscode';

/** Something that is made when it is first needed. A making that failed is tried again. */
export class Lazy<Value> {
  readonly #make: () => Promise<Value>;
  #made: Promise<Value> | undefined;

  constructor(make: () => Promise<Value>) {
    this.#make = make;
  }

  get(): Promise<Value> {
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }

  /** Only if somebody needed it already. */
  get ifMade(): Promise<Value> | undefined {
    return this.#made;
  }
}

/**
 * Waits until a document of this kind is open in a trusted workspace; only then the part that reads
 * it is loaded. All of such a feature that activation pays for.
 */
export function whenOpened(
  appliesTo: (document: TextDocument) => boolean,
  load: () => Promise<Disposable>,
): Disposable {
  const feature = new Lazy(load);
  const look = (document: TextDocument) => {
    // Tried again with the next one. Nobody waits for it: a command that fails to load says so.
    if (workspace.isTrusted && appliesTo(document)) feature.get().catch(() => {});
  };
  const lookAtAll = () => workspace.textDocuments.forEach(look);
  lookAtAll();
  return Disposable.from(
    workspace.onDidOpenTextDocument(look),
    workspace.onDidGrantWorkspaceTrust(lookAtAll),
    workspace.onDidChangeWorkspaceFolders(lookAtAll),
    {
      dispose: () => {
        feature.ifMade?.then(
          (started) => started.dispose(),
          () => {},
        );
      },
    },
  );
}
