import type { IncomingHttpHeaders } from 'node:http'
import type { Client, Dispatcher } from 'undici'

/** The part of a response's body that is kept for the integrator's list of deliveries, in bytes. */
export const keptBytes = 1024

/** The part of a response that has arrived, even if the rest never does. */
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
  /** The most bytes of the body that are read. */
  readonly maxBytes: (status: number) => number
  /** The part of the body that is kept; by default `keptBytes`. */
  readonly keptBytes?: number
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
export function exchange(
  client: Client,
  { request, signal, maxBytes, keptBytes: kept = keptBytes, response }: Exchange,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let read = 0
    const abort = (): void => reject(new Error('aborted'))
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) return abort()
    client.dispatch(request, {
      onRequestStart() {},
      onResponseStart(_controller, status, headers) {
        // Interim responses are ignored.
        if (status < 200) return
        response.status = status
        response.retry_after = readHeader(headers, 'retry-after')
      },
      onResponseData(_controller, chunk) {
        if (read < kept) response.bytes = Buffer.concat([response.bytes, chunk.subarray(0, kept - read)])
        read += chunk.byteLength
        if (read >= maxBytes(response.status ?? 0)) resolve(false)
      },
      onResponseEnd: () => resolve(true),
      onResponseError: (_controller, error) => reject(error),
    })
  })
}
