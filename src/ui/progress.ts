import { type Progress, ProgressLocation, window } from 'vscode';

/** Short work needs no notification: the status item turns meanwhile. */
const SHOWN_AFTER_MS = 2_000;

/**
 * Runs work that the user can cancel. If it takes longer than a moment, a notification says what
 * it is doing, with a Cancel button that aborts its signal.
 * @param controller aborted by that button; whoever passes one can abort the work, too
 */
export async function cancellable<Result>(
  firstMessage: string,
  work: (signal: AbortSignal, say: (message: string) => void) => Promise<Result>,
  controller = new AbortController(),
): Promise<Result> {
  let message = firstMessage;
  let shown: Progress<{ message: string }> | undefined;
  const running = work(controller.signal, (text) => {
    message = text;
    shown?.report({ message });
  });
  const options = {
    location: ProgressLocation.Notification,
    title: 'Hosted Model',
    cancellable: true,
  };
  const timer = setTimeout(() => {
    void window.withProgress(options, async (progress, cancellation) => {
      cancellation.onCancellationRequested(() => controller.abort());
      shown = progress;
      progress.report({ message });
      await running.catch(() => {});
    });
  }, SHOWN_AFTER_MS);
  try {
    return await running;
  } finally {
    clearTimeout(timer);
  }
}
