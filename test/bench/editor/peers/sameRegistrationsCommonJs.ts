/**
 * Makes the registrations of `sameRegistrations.mts` from a CommonJS module, which VS Code loads
 * faster than an ES module.
 */
export { activate } from './sameRegistrations.mts';
