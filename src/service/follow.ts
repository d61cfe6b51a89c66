/**
 * Aborts a controller with a signal, until it is let go. `AbortSignal.any` needs no letting go, and
 * costs several times as much for it, in work and in what the garbage collector has to follow.
 * @returns lets go; needed for a signal that outlives the controller
 */
export function follow(signal: AbortSignal, controller: AbortController): () => void {
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
