import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request as overHttp, type Server } from 'node:http'
import { request as overHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { URI } from 'otpauth'
import type { ConsoleLogin, Integrator } from './processes.ts'

/** The servers that a visitor sees beside each other. */
interface Shown {
  readonly integrator: Integrator
  /** The address at which the service listens, and the one that it names. */
  readonly service: { readonly listens: string; readonly public_url: string }
  readonly login: ConsoleLogin
  /** The service's time, by which the one-time code is made. */
  readonly now: () => number
}

export interface SideBySide {
  readonly url: string
  stop(): Promise<void>
}

/** Logs in as an operator does. Returns the cookie of the session. */
async function logIn({ service, login: { name, password, totp_uri }, now }: Shown): Promise<string> {
  const response = await fetch(`${service.listens}/console/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Attestor-Console': '1', Origin: service.public_url },
    body: JSON.stringify({ name, password, code: URI.parse(totp_uri).generate({ timestamp: now() }) }),
  })
  if (!response.ok) throw new Error(`the console answered ${response.status}: ${await response.text()}`)
  return response.headers
    .getSetCookie()
    .map(cookie => cookie.split(';')[0] ?? '')
    .join('; ')
}

/** Returns what finds the session of a call. It ends when nobody has looked for half an hour: a page begins another. */
async function keepSession(shown: Shown): Promise<(path: string) => Promise<string>> {
  let session = logIn(shown)
  const findOpen = async (known: string): Promise<string> => {
    const headers = { Cookie: known, 'X-Attestor-Console': '1' }
    const answer = await fetch(`${shown.service.listens}/console/api/me`, { headers }).catch(() => null)
    // A one-time code works once: the page then asks its reader.
    return answer?.status === 401 ? logIn(shown).catch(() => known) : known
  }
  await session
  return path => {
    // Frames that are opened at once have one session.
    if (!path.startsWith('/console/api/')) session = session.then(findOpen)
    return session
  }
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Proxied {
  readonly target: string
  readonly ca?: string
  /** The origin that the target takes for its own. */
  readonly origin: string
  /** Headers for a call of a path. */
  headersFor(path: string): Promise<Readonly<Record<string, string>>>
  /** Puts the addresses of the frames in place of those of the servers. */
  rewrite(text: string): string
  /** The page that frames it. */
  framedBy(): string
}

function allowFrame(headers: IncomingHttpHeaders, { rewrite, framedBy }: Proxied): IncomingHttpHeaders {
  const { 'x-frame-options': _, 'set-cookie': cookies, ...kept } = headers
  const policy = String(kept['content-security-policy'] ?? '')
  return {
    ...kept,
    ...(cookies && { 'set-cookie': cookies.map(cookie => cookie.replace(/; *secure/i, '')) }),
    ...(kept.location && { location: rewrite(kept.location) }),
    ...(policy && {
      'content-security-policy': policy.replace(/frame-ancestors [^;]*/, `frame-ancestors ${framedBy()}`),
    }),
  }
}

/**
 * The pages of the service and of the shop let nobody frame them. So a server of this machine's own, on loopback alone, stands
 * before each, and lets one page: the demo's. Calls of other origins, and of other names of this host, are refused.
 */
function createFrameable(proxied: Proxied): Server {
  const { target, ca, origin, headersFor, rewrite } = proxied
  const { protocol, hostname, port } = new URL(target)
  const server = createServer(async (incoming, response) => {
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { method, url: path = '/', headers } = incoming
    const isForeign = headers.origin !== undefined && headers.origin !== own
    if (`http://${headers.host}` !== own || isForeign) return void response.writeHead(403).end()
    const given = { ...headers, ...(await headersFor(path)), host: new URL(origin).host, 'accept-encoding': 'identity' }
    const sent = headers.origin === undefined ? given : { ...given, origin }
    const call = (protocol === 'https:' ? overHttps : overHttp)(
      { hostname, port, method, path, headers: sent, ...(ca !== undefined && { ca }) },
      async answer => {
        const changed = allowFrame(answer.headers, proxied)
        if (!/^(text\/html|application\/json)/.test(answer.headers['content-type'] ?? '')) {
          response.writeHead(answer.statusCode ?? 502, changed)
          return void answer.pipe(response)
        }
        const { 'content-length': _, ...open } = changed
        const content = rewrite(await text(answer))
        response.writeHead(answer.statusCode ?? 502, open)
        response.end(content)
      },
    )
    call.on('error', () => response.destroy())
    response.on('close', () => call.destroy())
    incoming.pipe(call)
  })
  return server
}

function page(shop: string, service: string): string {
  const frame = (title: string, url: string): string =>
    `<section><h2>${title}</h2><iframe title="${title}" src="${url}" allow="camera *; geolocation *"></iframe></section>`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Attestor, side by side</title>
<meta name="viewport" content="width=device-width"><style>
:root { color-scheme: light dark; font: 1rem/1.4 system-ui }
body { display: grid; gap: .75rem; grid: repeat(2, minmax(0, 1fr)) / 25rem minmax(0, 1fr); height: 100vh; margin: 0; padding: .75rem; box-sizing: border-box }
section { display: grid; gap: .25rem; grid-template-rows: auto minmax(0, 1fr) } section:first-of-type { grid-row: span 2 }
h2 { font-size: 1rem; margin: 0 } iframe { border: 1px solid; border-radius: .5rem; height: 100%; width: 100%; box-sizing: border-box }
/* Drawn smaller, they show rows, and the chart between its list and its events. */
section:not(:first-of-type) iframe { width: calc(100% / .65); height: calc(100% / .65); transform: scale(.65); transform-origin: 0 0 }
@media (max-width: 60rem) { body { grid: auto-flow 90vh / minmax(0, 1fr); height: auto } section:first-of-type { grid-row: auto } }
</style>
${frame('Your shop, and its customer', shop)}
${frame('Your console', `${service}/console`)}
${frame('The chart of a transaction', `${service}/console/charts`)}`
}

/** Opens one page with the shop, its customer, the console and the charts. Nobody has to log in. */
export async function openSideBySide(shown: Shown): Promise<SideBySide> {
  const { integrator, service } = shown
  const findSession = await keepSession(shown)
  const urls = { page: '', shop: '', service: '' }
  const rewrite = (given: string): string =>
    given.replaceAll(service.public_url, urls.service).replaceAll(integrator.url, urls.shop)
  const common = { rewrite, framedBy: () => `${urls.page} ${urls.shop} ${urls.service}` }
  const shop = createFrameable({
    ...common,
    target: integrator.url,
    ca: integrator.ca,
    origin: integrator.url,
    headersFor: async () => ({}),
  })
  const front = createFrameable({
    ...common,
    target: service.listens,
    origin: service.public_url,
    headersFor: async path => (path.startsWith('/console') ? { cookie: await findSession(path) } : {}),
  })
  const frames = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' })
    response.end(page(urls.shop, urls.service))
  })
  urls.shop = await listen(shop)
  urls.service = await listen(front)
  urls.page = await listen(frames)
  return {
    url: urls.page,
    async stop() {
      for (const server of [frames, shop, front]) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}
