/**
 * A value that is or contains a secret. No field holds it, so `inspect`, JSON, and copies don't show
 * it. Other rooms may pass it on, but only `service/` and `connection/` open it.
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
