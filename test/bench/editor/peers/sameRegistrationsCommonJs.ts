/**
 * The same extension as `sameRegistrations.mts`, but as a CommonJS module, which VS Code loads
 * faster than an ES module.
 */
export { activate } from './sameRegistrations.mts';
