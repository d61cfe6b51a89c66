import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import type { MakeCaller } from './caller.ts';
import { callerOf } from './product.ts';

/** The product as its sources stand, whose functions keep their names and places in a profile. */
export const makeCaller: MakeCaller = async (url) => callerOf(new ServiceRuntime(), url);
