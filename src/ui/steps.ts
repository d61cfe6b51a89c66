import {
  type Disposable,
  type InputBox,
  type InputBoxValidationMessage,
  InputBoxValidationSeverity,
  type QuickInput,
  QuickInputButtons,
  type QuickPick,
  type QuickPickItem,
  window,
} from 'vscode';

/** Questions in a VS Code input box or pick list, alone or in a series. */

/** The answer if the user goes back to the previous question. */
export const back = Symbol('back');

export type StepAnswer<Value> = Value | typeof back | undefined;

export interface Question {
  readonly title: string;
  readonly step: number;
  readonly totalSteps: number;
  /** The problem with the previous answer. It is shown until the user changes the answer. */
  readonly problem?: string | undefined;
}

export interface TextQuestion extends Question {
  readonly prompt: string;
  readonly placeholder: string;
  readonly value?: string;
  readonly password?: boolean;
  /** Returns an error or a hint for an answer. An error disables Enter. */
  readonly check: (text: string) => InputBoxValidationMessage | undefined;
}

/** @returns the text as typed; undefined if the box was closed */
export function askText(question: TextQuestion): Promise<StepAnswer<string>> {
  const box = window.createInputBox();
  box.prompt = question.prompt;
  box.value = question.value ?? '';
  box.password = question.password ?? false;
  box.validationMessage = question.problem;
  return askedBy<string>(box, question, (answer) => [
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
  /** Text below the box. It wraps, and stays visible while the user types. */
  readonly text?: string;
  readonly items: readonly Item[];
  /** Creates an item from the typed text, for lists of suggestions. */
  readonly typed?: (text: string) => Item | undefined;
  /** A hint about what to choose or type. It is shown if the user presses Enter without an item. */
  readonly expected?: string;
  /**
   * Handles the picked item while the list is shown as busy. If it returns a problem, the list
   * shows the problem and stays open.
   */
  readonly accept?: (item: Item, signal: AbortSignal) => Promise<string | undefined>;
}

/** @returns the picked item; undefined if the list was closed */
export function askPick<Item extends QuickPickItem>(
  question: PickQuestion<Item>,
): Promise<StepAnswer<Item>> {
  const pick = window.createQuickPick<Item>();
  const closed = new AbortController();
  const say = (problem: string | undefined) => {
    pick.prompt = [problem, question.text].filter(Boolean).join(' · ') || undefined;
  };
  say(question.problem);
  pick.matchOnDescription = true;
  pick.items = question.items;
  return askedBy<Item>(pick, question, (answer) => [
    { dispose: () => closed.abort() },
    pick.onDidChangeValue((text) => {
      say(undefined);
      const typed = question.typed?.(text);
      pick.items = typed ? [typed, ...question.items] : question.items;
    }),
    pick.onDidAccept(async () => {
      const [item] = pick.selectedItems;
      if (pick.busy) return;
      if (!item) return say(question.expected);
      pick.busy = true;
      pick.enabled = false;
      const problem = await question
        .accept?.(item, closed.signal)
        .catch(() => 'That did not work. Try again.');
      pick.busy = false;
      pick.enabled = true;
      if (problem === undefined) answer(item);
      else say(problem);
    }),
  ]);
}

/** Shows an input as one question of a series. */
function askedBy<Value>(
  input: InputBox | QuickPick<QuickPickItem>,
  { title, step, totalSteps, placeholder }: Question & { readonly placeholder: string },
  listen: (answer: (value: Value) => void) => Disposable[],
): Promise<StepAnswer<Value>> {
  const buttons = step > 1 ? [QuickInputButtons.Back] : [];
  Object.assign(input, { title, step, totalSteps, placeholder, buttons, ignoreFocusOut: true });
  return answered<StepAnswer<Value>>(input, (answer) => [
    input.onDidTriggerButton(() => answer(back)),
    ...listen(answer),
  ]);
}

/**
 * Shows an input until it is answered or closed, or until `fail` is called. Always disposes it.
 * @returns undefined if it was closed
 */
export function answered<Value>(
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
