/** The same registrations in a CommonJS module, which VS Code loads faster than an ES module. */
export { activate } from './sameRegistrations.mts';
