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

/** Questions in VS Code's own input box or pick list, alone or in a series. */

/** The answer of somebody who wants to see the question before this one again. */
export const back = Symbol('back');

export type StepAnswer<Value> = Value | typeof back | undefined;

export interface Question {
  readonly title: string;
  readonly step: number;
  readonly totalSteps: number;
  /** What was wrong with the last answer; shown until the answer changes. */
  readonly problem?: string | undefined;
}

export interface TextQuestion extends Question {
  readonly prompt: string;
  readonly placeholder: string;
  readonly value?: string;
  readonly password?: boolean;
  /** Says what is wrong with an answer, or only worth knowing. An error keeps Enter from working. */
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
  /** Stands below the box; wraps, and stays while something is typed. */
  readonly text?: string;
  readonly items: readonly Item[];
  /** Makes an item of what was typed, for lists that are only a suggestion. */
  readonly typed?: (text: string) => Item | undefined;
  /** Hint about what to choose or type, shown if Enter finds no item. */
  readonly expected?: string;
  /**
   * Works on the picked item while the list shows that it is busy. A text is what went wrong: the
   * list stays open with it.
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

/** Asks by an input as one question of a series. */
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
 * Shows the input until it is answered or closed, or fails, and cleans up after it either way.
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
