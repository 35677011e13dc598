import type { IncomingHttpHeaders } from 'node:http'
import type { Client, Dispatcher } from 'undici'

/** How much of a response's body is kept for the integrator's list of deliveries. */
export const keptBytes = 1024

/** What has arrived of a response, even if the rest never does. */
export interface ResponseStart {
  /** Null before the head. */
  status: number | null
  retry_after: string | undefined
  bytes: Buffer
}

/** Nothing yet. */
export function newResponse(): ResponseStart {
  return { status: null, retry_after: undefined, bytes: Buffer.alloc(0) }
}

/** A request, and how its response is read. */
export interface Exchange {
  readonly request: Dispatcher.DispatchOptions
  /** Once it is aborted, the holder of the connection closes it. */
  readonly signal: AbortSignal
  /** How much of the body is read. */
  readonly maxBytes: (status: number) => number
  readonly response: ResponseStart
}

function readHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/**
 * Sends a request, fills `response`, and resolves with whether the body ended within `maxBytes`. undici's own `request`
 * makes a stream of each response, which costs as much as the rest of a short exchange.
 */
export function exchange(client: Client, { request, signal, maxBytes, response }: Exchange): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let read = 0
    const abort = (): void => reject(new Error('aborted'))
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) return abort()
    client.dispatch(request, {
      onRequestStart() {},
      onResponseStart(_controller, status, headers) {
        // An interim response says nothing.
        if (status < 200) return
        response.status = status
        response.retry_after = readHeader(headers, 'retry-after')
      },
      onResponseData(_controller, chunk) {
        if (read < keptBytes) response.bytes = Buffer.concat([response.bytes, chunk.subarray(0, keptBytes - read)])
        read += chunk.byteLength
        if (read >= maxBytes(response.status ?? 0)) resolve(false)
      },
      onResponseEnd: () => resolve(true),
      onResponseError: (_controller, error) => reject(error),
    })
  })
}
