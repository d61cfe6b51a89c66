/**
 * The functions of one caller. What one of them throws is a fault of the caller's own, and must
 * not be taken for one of the connection that happened to be under way.
 */
export class Callbacks {
  #thrown: { readonly error: unknown } | undefined;

  /** The same function, whose first exception is kept. */
  keeping<Value>(call: ((value: Value) => void) | undefined): typeof call {
    if (!call) return undefined;
    return (value) => {
      try {
        call(value);
      } catch (error) {
        this.#thrown ??= { error };
        throw error;
      }
    };
  }

  /** @throws what one of the functions threw, as it is */
  rethrow(): void {
    if (this.#thrown) throw this.#thrown.error;
  }
}
