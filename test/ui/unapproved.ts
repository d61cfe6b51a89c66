import { unapprovedTotal } from '../emulator/unapprovedTotal.ts';

/** For `mocha --require`: checks that nothing in this suite reaches an unapproved host. */
export const { mochaHooks, mochaGlobalSetup, mochaGlobalTeardown } = unapprovedTotal(1);
