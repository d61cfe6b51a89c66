import type { Mutant } from './mutant.ts';

/** Defences of the document and of the window. */
export const editorMutants: readonly Mutant[] = [
  {
    name: 'an edit that changed nothing counts as done',
    file: 'src/editor/documentWriter.ts',
    from: 'if (this.#isWritten) this.#attempts.succeeded();',
    to: "if (this.#isWritten || answer === 'accepted') this.#attempts.succeeded();",
    test: 'test/unit/editor/documentWriter.test.ts',
    title: 'J13: gives up where an edit is accepted and changes nothing',
  },
  {
    name: 'a selection of whole lines grows over the answer',
    file: 'src/editor/textChange.ts',
    from: 'rangeOffset === textEnd && textEnd < end',
    to: 'false',
    test: 'test/unit/editor/textChange.test.ts',
    title: 'is the same whole lines, with an answer on the next line',
  },
  {
    name: 'the closing fence is kept in the code',
    file: 'src/editor/codeFence.ts',
    from: "if (isWhole && verdict === 'yes') {",
    to: "if (isWhole && verdict === 'yes' && part === '') {",
    test: 'test/unit/editor/codeFence.test.ts',
    title: 'goes with the one that closes before it',
  },
  {
    name: 'a flood of events is read one by one',
    file: 'src/throttle.ts',
    from: 'if (!this.#timer) this.#doIfAsked();',
    to: 'this.#doIfAsked();',
    test: 'test/unit/throttle.test.ts',
    title: 'works at once, and once more for all that is asked meanwhile',
  },
  {
    name: 'the status item goes on after its end',
    file: 'src/ui/statusItem.ts',
    from: '    if (this.#isDisposed) return;\n',
    to: '',
    test: 'test/contract/lifecycle/closing.test.ts',
    title: 'has a status item that neither paints nor starts a timer once it is gone',
  },
  {
    name: 'a window that cannot start says nothing',
    file: 'src/commands.ts',
    from: '    void window.showErrorMessage(NOT_STARTED);\n',
    to: '',
    test: 'test/contract/lifecycle/opening.test.ts',
    title: 'K02: with a status bar that throws has its commands all the same',
  },
  {
    name: 'nobody can stop waiting for the keyring',
    file: 'src/credentials/access.ts',
    from: 'new Flight(() => this.look(owner)).wait(signal, () => {}),',
    to: 'new Flight(() => this.look(owner)).result.finally(() => signal),',
    test: 'test/contract/lifecycle/events.test.ts',
    title: 'K12: wait for a secret storage that takes 5 s',
  },
  {
    name: 'tokens are renewed while nobody looks',
    file: 'src/start.ts',
    from: '!window.state.focused || ',
    to: '',
    test: 'test/contract/lifecycle/resting.test.ts',
    title: 'H29: renews while somebody looks at it',
  },
];
