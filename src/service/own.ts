/**
 * A copy that has nothing but what it was given: what another extension of the host puts on
 * Object.prototype is not read through it.
 */
export function own<Value extends object>(value: Value): Value {
  return Object.assign(Object.create(null), value);
}
