import { type Progress, ProgressLocation, window } from 'vscode';

/**
 * Milliseconds before the notification appears. If the work ends sooner, there is no notification.
 */
const SHOWN_AFTER_MS = 2_000;

/**
 * Runs work that the user can cancel. After 2 seconds, a notification shows the latest message and
 * a Cancel button.
 * @param work receives a signal that aborts when the user clicks Cancel, and a function that
 * replaces the message
 * @param controller the signal's controller; needed only by callers that cancel the work themselves
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
