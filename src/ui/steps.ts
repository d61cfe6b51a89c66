import {
  type Disposable,
  env,
  type InputBox,
  type InputBoxValidationMessage,
  InputBoxValidationSeverity,
  type QuickInput,
  QuickInputButtons,
  type QuickPick,
  type QuickPickItem,
  ThemeIcon,
  Uri,
  window,
} from 'vscode';

/** Prompts the user with input boxes and pick lists, individually or as steps in a series. */

/** Returned instead of an answer if the user clicks Back. */
export const back = Symbol('back');

export type StepAnswer<Value> = Value | typeof back | undefined;

export interface Question {
  readonly title: string;
  readonly step: number;
  readonly totalSteps: number;
  /** Complete sentences that precede the prompt, such as the reason for the question. */
  readonly intro?: string | undefined;
  /** A problem with the previous answer, shown until the user starts typing. */
  readonly problem?: string | undefined;
  /** A web page that helps the user answer. A button in the title bar opens it. */
  readonly page?: { readonly label: string; readonly url: string } | undefined;
}

export interface TextQuestion extends Question {
  readonly prompt: string;
  readonly placeholder: string;
  readonly value?: string;
  readonly password?: boolean;
  /**
   * Returns an error or a hint about the typed text. While there is an error, Enter doesn't submit
   * the text.
   */
  readonly check: (text: string) => InputBoxValidationMessage | undefined;
}

/** @returns the text as typed, `back`, or undefined if the box was closed */
export function askText(question: TextQuestion): Promise<StepAnswer<string>> {
  const box = window.createInputBox();
  box.prompt = [question.intro, question.prompt].filter(Boolean).join(' ');
  box.value = question.value ?? '';
  box.password = question.password ?? false;
  box.validationMessage = question.problem;
  return showStep<string>(box, question, (answer) => [
    box.onDidChangeValue((text) => {
      box.validationMessage = question.check(text);
    }),
    box.onDidAccept(() => {
      const message = question.check(box.value);
      box.validationMessage = message;
      if (message?.severity !== InputBoxValidationSeverity.Error) answer(box.value);
    }),
  ]);
}

export interface PickQuestion<Item extends QuickPickItem> extends Question {
  readonly placeholder: string;
  /** Text below the input box. It wraps and stays visible while the user types. */
  readonly text?: string;
  readonly items: readonly Item[];
  /**
   * Returns an item for the typed text; undefined if there is no such item. The item is listed last
   * so that Enter picks an item that matches the text. However, if this item's label contains the
   * typed text, VS Code lists it before items whose labels don't (confirmed by testing). See
   * `typedItem`.
   */
  readonly typed?: (text: string) => Item | undefined;
  /** A hint that is shown if the user presses Enter while no item is selected. */
  readonly expected?: string;
  /**
   * Handles the picked item. Until the promise settles, the list shows progress, and no other item
   * can be picked. If the promise rejects or resolves to a problem, the list stays open and shows a
   * message. The signal aborts when the list is closed. In the meantime, `showStatus` can show a
   * sentence at the start of the prompt.
   */
  readonly accept?: (
    item: Item,
    signal: AbortSignal,
    showStatus: (sentence: string) => void,
  ) => Promise<string | undefined>;
}

/**
 * Returns the fields of an item that stands for the typed text. VS Code lists this item after all
 * others.
 */
export function typedItem(text: string): QuickPickItem {
  return { label: 'Use Entered Text', description: text, alwaysShow: true };
}

/** @returns the picked item, `back`, or undefined if the list was closed */
export function askPick<Item extends QuickPickItem>(
  question: PickQuestion<Item>,
): Promise<StepAnswer<Item>> {
  const pick = window.createQuickPick<Item>();
  const closed = new AbortController();
  const showFirst = (sentence: string | undefined) => {
    const parts = [sentence, question.intro, question.text];
    pick.prompt = parts.filter(Boolean).join(' · ') || undefined;
  };
  showFirst(question.problem);
  pick.matchOnDescription = true;
  const show = (typed?: Item) => {
    pick.items = typed ? [...question.items, typed] : question.items;
  };
  show();
  return showStep<Item>(pick, question, (answer) => [
    { dispose: () => closed.abort() },
    pick.onDidChangeValue((text) => {
      if (!pick.busy) showFirst(undefined);
      show(question.typed?.(text));
    }),
    pick.onDidAccept(async () => {
      const [item] = pick.selectedItems;
      if (pick.busy) return;
      if (!item) return showFirst(question.expected);
      pick.busy = true;
      showFirst(undefined);
      const problem = await question
        .accept?.(item, closed.signal, showFirst)
        .catch(() => 'An unexpected error occurred. Try again.');
      pick.busy = false;
      if (problem === undefined) answer(item);
      else showFirst(problem);
    }),
  ]);
}

/** Shows an input as one step of a series. Every step except the first has a Back button. */
function showStep<Value>(
  input: InputBox | QuickPick<QuickPickItem>,
  { title, step, totalSteps, placeholder, page }: Question & { readonly placeholder: string },
  listen: (answer: (value: Value) => void) => Disposable[],
): Promise<StepAnswer<Value>> {
  const pageButton = page && { iconPath: new ThemeIcon('link-external'), tooltip: page.label };
  const buttons = [
    ...(step > 1 ? [QuickInputButtons.Back] : []),
    ...(pageButton ? [pageButton] : []),
  ];
  Object.assign(input, { title, step, totalSteps, placeholder, buttons, ignoreFocusOut: true });
  return showInput<StepAnswer<Value>>(input, (answer) => [
    input.onDidTriggerButton((button) => {
      if (page && button === pageButton) void env.openExternal(Uri.parse(page.url));
      else answer(back);
    }),
    ...listen(answer),
  ]);
}

/**
 * Shows an input. Disposes the input once a listener calls `answer` or `fail`, or once the user
 * closes it.
 * @param listen adds and returns the listeners, which are disposed with the input
 * @returns the answer; undefined if the user closed the input
 * @throws the error that was passed to `fail`
 */
export function showInput<Value>(
  input: QuickInput,
  listen: (answer: (value: Value) => void, fail: (error: unknown) => void) => Disposable[],
): Promise<Value | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Value | undefined>();
  const listeners = [...listen(resolve, reject), input.onDidHide(() => resolve(undefined))];
  input.show();
  return promise.finally(() => {
    for (const each of [...listeners, input]) each.dispose();
  });
}
