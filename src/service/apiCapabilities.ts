/**
 * The capabilities of each API, which the setup needs before it loads the code of the API. A
 * request needs the ID of exactly one resource, unless `resources` is empty.
 */
export const APIS = {
  watsonx: {
    operations: ['chat', 'generation'],
    resources: ['project', 'space', 'deployment'],
  },
  openai: { operations: ['chat'], resources: [] },
} as const satisfies Record<
  string,
  { readonly operations: readonly Operation[]; readonly resources: readonly ResourceKind[] }
>;

/** An API. `prefix` is the path between the service address and the API's own paths. */
export interface ApiConfig {
  readonly kind: keyof typeof APIS;
  readonly prefix: string;
}

export type ResourceKind = 'project' | 'space' | 'deployment';

export type Operation = 'chat' | 'generation';
