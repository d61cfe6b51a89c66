import {
  type Disposable,
  type InputBoxValidationMessage,
  InputBoxValidationSeverity,
  QuickInputButtons,
  type QuickPickItem,
  window,
} from 'vscode';

/** One question of a series, in VS Code's own input box or pick list. */

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
  box.title = question.title;
  box.step = question.step;
  box.totalSteps = question.totalSteps;
  box.prompt = question.prompt;
  box.placeholder = question.placeholder;
  box.value = question.value ?? '';
  box.password = question.password ?? false;
  box.ignoreFocusOut = true;
  box.validationMessage = question.problem;
  box.buttons = question.step > 1 ? [QuickInputButtons.Back] : [];
  return answered<string>(box, (answer) => [
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
  pick.title = question.title;
  pick.step = question.step;
  pick.totalSteps = question.totalSteps;
  pick.placeholder = question.placeholder;
  const say = (problem: string | undefined) => {
    pick.prompt = [problem, question.text].filter(Boolean).join(' · ') || undefined;
  };
  say(question.problem);
  pick.ignoreFocusOut = true;
  pick.matchOnDescription = true;
  pick.items = question.items;
  pick.buttons = question.step > 1 ? [QuickInputButtons.Back] : [];
  return answered<Item>(pick, (answer) => [
    { dispose: () => closed.abort() },
    pick.onDidChangeValue((text) => {
      say(undefined);
      const typed = question.typed?.(text);
      pick.items = typed ? [typed, ...question.items] : question.items;
    }),
    pick.onDidAccept(async () => {
      const [item] = pick.selectedItems;
      if (!item || pick.busy) return;
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

interface QuickInput<Button> extends Disposable {
  show(): void;
  onDidHide(listener: () => void): Disposable;
  onDidTriggerButton(listener: (button: Button) => void): Disposable;
}

/** Shows the input until it is answered or closed, and cleans up after it either way. */
function answered<Value>(
  input: QuickInput<unknown>,
  listen: (answer: (value: Value) => void) => Disposable[],
): Promise<StepAnswer<Value>> {
  return new Promise((resolve) => {
    const listeners = listen(settle);
    listeners.push(
      input.onDidTriggerButton(() => settle(back)),
      input.onDidHide(() => settle(undefined)),
    );
    function settle(answer: StepAnswer<Value>) {
      resolve(answer);
      for (const listener of listeners) listener.dispose();
      input.dispose();
    }
    input.show();
  });
}
