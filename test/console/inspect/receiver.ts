import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'

/** The package's own receiver, as Stately's page runs it; messages are kept with their times for the test. */
async function bundle(): Promise<string> {
  const { build } = await import('esbuild-wasm')
  const { outputFiles } = await build({
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
  return outputFiles[0]?.text ?? ''
}

const modules = join(import.meta.dirname, '../../../node_modules')

/** The bundler takes seven seconds of CPU: what it made of the installed packages and of this file is kept. */
async function openScript(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [join(modules, '.package-lock.json'), import.meta.filename]) hash.update(readFileSync(file))
  const file = join(modules, '.cache', `inspect_receiver_${hash.digest('hex').slice(0, 16)}.js`)
  if (existsSync(file)) return readFileSync(file, 'utf8')
  const text = await bundle()
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.${process.pid}`, text)
  renameSync(`${file}.${process.pid}`, file)
  return text
}

const script = openScript()

/** A page of another origin, in the place of Stately's. */
export async function serveReceiver(): Promise<{ url: string; close: () => void }> {
  const content = await script
  const server = createServer((request, response) => {
    const isScript = request.url === '/receiver.js'
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? content : '<!doctype html><title>receiver</title><script src="/receiver.js"></script>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://localhost:${(server.address() as AddressInfo).port}/inspect`
  return { url, close: () => server.close().closeAllConnections() }
}
