import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { Provider } from 'oidc-provider'

export const identityClient = { client_id: 'attestor', client_secret: 'a-secret-of-the-test-that-is-long' }

/** A real OpenID provider. People log in to it by their name alone, and have the roles of `people`. */
export async function openProvider(t: ExecutionContext, people: Readonly<Record<string, readonly string[]>>) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close().closeAllConnections())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    /** Begins once the address of the console is known. */
    serve(redirect_uri: string) {
      const provider = new Provider(issuer, {
        clients: [{ ...identityClient, redirect_uris: [redirect_uri] }],
        claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
        cookies: { keys: ['a key of the test'] },
        findAccount: (_, id) => ({
          accountId: id,
          claims: () => ({ sub: id, preferred_username: id, groups: people[id] }),
        }),
        features: { devInteractions: { enabled: true } },
      })
      server.on('request', provider.callback())
    },
  }
}
