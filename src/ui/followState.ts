interface Followed<State> {
  readonly state: State;
  onDidChange(listener: (state: State) => void): () => void;
}

/**
 * Returns a function that takes an object and reports the object's state to `onState`. Reporting on
 * an object stops when the function is called with another object or with undefined.
 * @param onState called with the object and its state, once at the start and again after each
 * change. Called without arguments when the object is replaced or removed.
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
