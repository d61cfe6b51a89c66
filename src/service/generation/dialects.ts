import type { Vendor } from '../vendors.ts';
import type { Dialect } from './dialect.ts';
import { openAi } from './openAi.ts';
import { watsonx } from './watsonx.ts';

/** The dialect that a vendor entry names. */
export function dialectOf({ dialect }: Pick<Vendor, 'dialect'>): Dialect {
  switch (dialect.kind) {
    case 'watsonx':
      return watsonx;
    case 'openAi':
      return openAi(dialect.prefix);
  }
}
