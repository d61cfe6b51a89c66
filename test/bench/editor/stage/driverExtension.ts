/**
 * The part of the benchmark that runs in the extension host. It starts before the extensions that
 * wait for startup to finish, so that it can time their activation.
 */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import {
  commands,
  type ExtensionContext,
  extensions,
  Selection,
  type TextDocument,
  type TextEditor,
  window,
  workspace,
} from 'vscode';
import { clockMs, type Orders, portVariable, type Ran, type Run } from './protocol.ts';

/** A turn in `quiet` counts as quiet if it takes less than this many milliseconds. */
const quietTurnMs = 8;
/** Required number of consecutive quiet turns, and maximum number of turns. */
const [quietTurns, mostTurns] = [20, 200];

const answers: {
  readonly [Name in keyof Orders]: (
    order: Orders[Name]['order'],
  ) => Promise<Orders[Name]['answer']>;
} = { activate: activateInTurn, run, close };

/**
 * Resolves when the first command has been carried out. Until then, the host hasn't finished
 * starting up.
 */
export function activate({ subscriptions }: ExtensionContext): Promise<void> {
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  subscriptions.push(commands.registerCommand('bench.wait', wait));
  const socket = connect(Number(process.env[portVariable]), '127.0.0.1');
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    createInterface({ input: socket }).on('line', (line) => {
      void obey(socket, line).then(resolve);
    });
  });
}

async function obey(socket: Socket, line: string): Promise<void> {
  const { name, order } = JSON.parse(line) as { name: keyof Orders; order: never };
  const answer = await answers[name](order).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: error instanceof Error ? error.stack : String(error) }),
  );
  socket.write(`${JSON.stringify(answer)}\n`);
}

async function activateInTurn(ids: readonly string[]): Promise<Record<string, number>> {
  const milliseconds: Record<string, number> = {};
  for (const id of ids) {
    const extension = extensions.getExtension(id);
    if (!extension) throw new Error(`${id} is not installed.`);
    if (extension.isActive) throw new Error(`${id} is already active.`);
    await quiet();
    const startedAt = performance.now();
    await extension.activate();
    milliseconds[id] = performance.now() - startedAt;
  }
  return milliseconds;
}

async function run(order: Run): Promise<Ran> {
  const { command, argument, text, lines, isAtOnce, isUndone, staysOpen } = order;
  const editor = await open(text, lines);
  const { document } = editor;
  const changedAt: number[] = [];
  const listener = workspace.onDidChangeTextDocument((event) => {
    if (event.document === document && event.contentChanges.length > 0) changedAt.push(clockMs());
  });
  try {
    if (isAtOnce !== true) await quiet();
    const startedAt = clockMs();
    await commands.executeCommand(command, argument);
    const endedAt = clockMs();
    const ran = { startedAt, changedAt: [...changedAt], endedAt, text: document.getText() };
    return isUndone === true ? { ...ran, undoSteps: await undo(document, text) } : ran;
  } finally {
    listener.dispose();
    if (staysOpen !== true) await close();
  }
}

async function close(): Promise<true> {
  await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  return true;
}

async function open(content: string, lines: readonly number[]): Promise<TextEditor> {
  const document = await workspace.openTextDocument({ content, language: 'plaintext' });
  const editor = await window.showTextDocument(document, { preview: false });
  const wanted = lines.map((line) => {
    const { start, end } = document.lineAt(line).range;
    return new Selection(start, end);
  });
  const isSelected = () =>
    wanted.every((selection, index) => editor.selections[index]?.isEqual(selection));
  do {
    editor.selections = wanted;
    // A late event can restore the previous selection. By the time this command ends, all such
    // events have arrived.
    await commands.executeCommand('setContext', 'bench.isSelected', true);
  } while (!isSelected());
  return editor;
}

/** Runs undo until the document has this text. @returns the number of undo steps */
async function undo(document: TextDocument, text: string): Promise<number> {
  let steps = 0;
  while (document.getText() !== text) {
    const changed = new Promise<void>((resolve) => {
      const listener = workspace.onDidChangeTextDocument((event) => {
        if (event.document !== document || event.contentChanges.length === 0) return;
        listener.dispose();
        resolve();
      });
    });
    await commands.executeCommand('undo');
    await changed;
    steps += 1;
  }
  return steps;
}

/**
 * Waits up to `mostTurns` turns for the extension host and the window to become idle. Each turn
 * consists of a 1 ms timer in the host and a round trip to the window.
 */
async function quiet(): Promise<void> {
  let inRow = 0;
  for (let turn = 0; inRow < quietTurns && turn < mostTurns; turn += 1) {
    const startedAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 1));
    await commands.executeCommand('setContext', 'bench.turn', turn);
    inRow = performance.now() - startedAt < quietTurnMs ? inRow + 1 : 0;
  }
}
