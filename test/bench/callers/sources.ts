import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import type { MakeCaller } from './caller.ts';
import { callerOf } from './product.ts';

/** Uses the product's unbundled sources, so that profiles show function names. */
export const makeCaller: MakeCaller = async (url) => callerOf(new ServiceRuntime(), url);
