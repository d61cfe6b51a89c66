import type { Service } from '../service.ts';
import type { Api } from './api.ts';
import { openai } from './openai.ts';
import { watsonx } from './watsonx.ts';

export function apiOf({ api }: Pick<Service, 'api'>): Api {
  switch (api.kind) {
    case 'watsonx':
      return watsonx;
    case 'openai':
      return openai(api.prefix);
  }
}
