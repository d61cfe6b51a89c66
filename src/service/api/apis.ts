import type { Vendor } from '../services.ts';
import type { Dialect } from './api.ts';
import { openAi } from './openai.ts';
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
