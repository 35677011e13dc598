import { Client, type Dispatcher } from 'undici'
import type { OutboundClock } from './clock.ts'
import type { Guard } from './guard.ts'

export interface DocumentRequest {
  readonly url: string
  readonly guard: Guard
  readonly clock: OutboundClock
  /** The media types that are asked for; any by default. */
  readonly accept?: string
  readonly max_bytes: number
  readonly total_ms: number
}

/** A document that could not be fetched. The message names no address. */
class DocumentError extends Error {
  override readonly name = 'DocumentError'
}

/** The body of a response, as far as a bound. */
async function readBody(client: Client, options: Dispatcher.RequestOptions, maxBytes: number): Promise<Buffer> {
  const { statusCode, body } = await client.request(options)
  if (statusCode !== 200) throw new DocumentError(`answered ${statusCode}`)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new DocumentError(`is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Fetches a public document by GET, through the guard. Redirects are never followed. @throws {DocumentError} */
export async function fetchDocument({
  url,
  guard,
  clock,
  accept = '*/*',
  max_bytes,
  total_ms,
}: DocumentRequest): Promise<Buffer> {
  const brokenRule = guard.check(url)
  if (brokenRule !== null) throw new DocumentError(`destination refused: ${brokenRule}`)
  const control = new AbortController()
  const stop = clock.setTimer(total_ms, () => control.abort(new DocumentError('timed out')))
  const parsed = new URL(url)
  // undici waits for ever if its connection is there before it has asked: the guard dials when it asks.
  const client = new Client(parsed.origin, {
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      guard.dial(parsed, control.signal).then(
        ({ socket }) => callback(null, socket),
        (error: Error) => callback(error, null),
      )
    },
  })
  try {
    const path = `${parsed.pathname}${parsed.search}`
    return await readBody(client, { method: 'GET', path, signal: control.signal, headers: { accept } }, max_bytes)
  } catch (cause) {
    if (cause instanceof DocumentError) throw cause
    if (control.signal.aborted) throw control.signal.reason
    throw new DocumentError('could not be fetched', { cause })
  } finally {
    stop()
    await client.destroy()
  }
}
