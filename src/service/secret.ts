/**
 * A value that is or contains a secret. The value is held in a private field, so `inspect`, JSON,
 * and copies don't expose it. Any module may pass it on, but only `service/` and `connection/`
 * may open it.
 */
export class Secret<Value> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  static open<Value>(secret: Secret<Value>): Value {
    return secret.#value;
  }

  toJSON(): string {
    return '[redacted]';
  }
}
