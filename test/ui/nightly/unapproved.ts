import { unapprovedTotal } from '../../emulator/unapprovedTotal.ts';

/** For `mocha --require`: the same as beside it, for the journeys that meet hosts nobody approved. */
export const { mochaHooks, mochaGlobalSetup, mochaGlobalTeardown } = unapprovedTotal(26);
