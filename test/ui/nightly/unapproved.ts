import { unapprovedTotal } from '../../emulator/unapprovedTotal.ts';

/** For `mocha --require`: the same check for the nightly tests, which use more unapproved hosts. */
export const { mochaHooks, mochaGlobalSetup, mochaGlobalTeardown } = unapprovedTotal(26);
