import { unapprovedTotal } from '../../emulator/unapprovedTotal.ts';

/** For `mocha --require`: checks that no nightly UI test reaches an unapproved host. */
export const { mochaHooks, mochaGlobalSetup, mochaGlobalTeardown } = unapprovedTotal(26);
