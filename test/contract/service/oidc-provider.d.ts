/**
 * The part of oidc-provider that tests use. The package has no types of its own, and
 * `@types/oidc-provider` would add 19 packages.
 */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export class Provider {
    /** @param configuration https://github.com/panva/node-oidc-provider/blob/main/docs/README.md */
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): RequestListener;
  }
}
