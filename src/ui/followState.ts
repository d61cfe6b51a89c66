/** An object whose state changes. */
interface Followed<State> {
  readonly state: State;
  onDidChange(listener: (state: State) => void): () => void;
}

/**
 * Returns a function that follows a source of states in place of the one before.
 * @param onState called with each state of the source, and without one when the source is replaced
 */
export function follower<State>(
  onState: (source?: Followed<State>, state?: State) => void,
): (source: Followed<State> | undefined) => void {
  let followed: Followed<State> | undefined;
  let stop = () => {};
  return (source) => {
    if (source === followed) return;
    stop();
    if (followed) onState();
    followed = source;
    if (source) onState(source, source.state);
    stop = source?.onDidChange((state) => onState(source, state)) ?? (() => {});
  };
}
