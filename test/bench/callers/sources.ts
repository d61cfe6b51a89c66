import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import type { MakeCaller } from './caller.ts';
import { callerOf } from './product.ts';

/**
 * Uses the product's unbundled sources so that a profile shows the CPU time of each source file.
 */
export const makeCaller: MakeCaller = async (url) => callerOf(new ServiceRuntime(), url);
