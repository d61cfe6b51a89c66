/**
 * The operations of each API, and the kinds of resources that the API can use. Setup needs this
 * information before it loads the API's code. Each generation uses exactly one resource, unless
 * `resources` is empty.
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

/** The API of a service. */
export interface ApiConfig {
  readonly kind: keyof typeof APIS;
  /**
   * The path between the service address and the API's own paths, such as `/chat/completions`.
   * Empty for the watsonx API. Users enter a built-in service's address without this prefix. If the
   * service's documentation shows the address with the prefix, see `ENDPOINT_PATH`.
   */
  readonly prefix: string;
}

export type ResourceKind = 'project' | 'space' | 'deployment';

export type Operation = 'chat' | 'generation';

/** Returns the name that `Model.functions` uses for an operation. */
export function functionOf(operation: Operation): string {
  return operation === 'chat' ? 'text_chat' : 'text_generation';
}
