/** The members of the provider that the test of signing in uses; it has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  interface Configuration {
    readonly clients: readonly object[]
    readonly claims: Readonly<Record<string, readonly string[]>>
    readonly cookies: { readonly keys: readonly string[] }
    readonly findAccount: (ctx: unknown, id: string) => { readonly accountId: string; readonly claims: () => object }
    readonly features: object
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): RequestListener
  }
}
