import { unapprovedTotal } from '../emulator/unapprovedTotal.ts';

/** For `mocha --require`: checks that the whole suite contacts no unapproved host. */
export const { mochaHooks, mochaGlobalSetup, mochaGlobalTeardown } = unapprovedTotal(25);
