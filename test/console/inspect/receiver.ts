import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild-wasm'

/** The package's own receiver, as Stately's page runs it; messages are kept with their times for the test. */
const script = build({
  stdin: {
    contents: `import { createBrowserReceiver } from '@statelyai/inspect'
      window.received = []
      window.receivedAt = []
      createBrowserReceiver().subscribe(event => {
        window.received.push(event)
        window.receivedAt.push(performance.timeOrigin + performance.now())
      })`,
    resolveDir: import.meta.dirname,
  },
  bundle: true,
  format: 'iife',
  platform: 'browser',
  write: false,
})

/** A page of another origin, in the place of Stately's. */
export async function serveReceiver(): Promise<{ url: string; close: () => void }> {
  const content = (await script).outputFiles[0]?.text ?? ''
  const server = createServer((request, response) => {
    const isScript = request.url === '/receiver.js'
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? content : '<!doctype html><title>receiver</title><script src="/receiver.js"></script>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://localhost:${(server.address() as AddressInfo).port}/inspect`
  return { url, close: () => server.close().closeAllConnections() }
}
