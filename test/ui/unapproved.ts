import { unapprovedTotal } from '../emulator/unapprovedTotal.ts';

/** For `mocha --require`: nothing reaches a host that nobody approved, in this suite. */
export const { mochaHooks, mochaGlobalSetup, mochaGlobalTeardown } = unapprovedTotal(1);
