import { unapprovedTotal } from '../emulator/unapprovedTotal.ts';

/** Plugin for `mocha --require`. Makes the suite fail if it contacts an unapproved host. */
export const { mochaHooks, mochaGlobalSetup, mochaGlobalTeardown } = unapprovedTotal(25);
