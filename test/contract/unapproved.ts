import { unapprovedTotal } from '../emulator/unapprovedTotal.ts';

/** Plugin for `mocha --require` that checks that the whole suite contacts no unapproved host. */
export const { mochaHooks, mochaGlobalSetup, mochaGlobalTeardown } = unapprovedTotal(25);
