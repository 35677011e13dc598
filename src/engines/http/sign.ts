import { createHash, createHmac } from 'node:crypto'

export interface UnsignedRequest {
  readonly method: string
  readonly url: Pick<URL, 'pathname' | 'search'>
  readonly contentType: string
  readonly body: Uint8Array
  /** Epoch seconds. */
  readonly created: number
  /** Random for each call. */
  readonly nonce: string
}

/** The name of the secret in `keyid`, and of the signature in its headers. */
const label = 'attestor'

/**
 * The headers that make a call authentic and fresh: RFC 9421 (HTTP Message Signatures) with `hmac-sha256` over method,
 * path, query, content type and RFC 9530's digest of the body. The receiver checks the digest and the
 * signature, that `created` is of the last minutes, and that the nonce is new.
 */
export function signRequest(call: UnsignedRequest, secret: Uint8Array): Readonly<Record<string, string>> {
  const digest = `sha-256=:${createHash('sha256').update(call.body).digest('base64')}:`
  const covered = '("@method" "@path" "@query" "content-type" "content-digest")'
  const parameters = `${covered};created=${call.created};nonce="${call.nonce}";keyid="${label}";alg="hmac-sha256"`
  const base = [
    `"@method": ${call.method}`,
    `"@path": ${call.url.pathname}`,
    // RFC 9421, section 2.2.7: without a query it is a lone question mark.
    `"@query": ${call.url.search || '?'}`,
    `"content-type": ${call.contentType}`,
    `"content-digest": ${digest}`,
    `"@signature-params": ${parameters}`,
  ].join('\n')
  const signature = createHmac('sha256', secret).update(base).digest('base64')
  return {
    'content-type': call.contentType,
    'content-digest': digest,
    'signature-input': `${label}=${parameters}`,
    signature: `${label}=:${signature}:`,
  }
}
