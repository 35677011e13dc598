interface ErrorFacts {
  readonly status: number
  readonly code: string | null
  readonly request_id: string | null
}

/** A call that was answered without success. A decision REJECTED is none. */
export class AttestorError extends Error {
  override readonly name = 'AttestorError'
  readonly status: number
  /** Stable: the header `X-Error-Code`, or `error` of the token endpoint. Null where a proxy answered. */
  readonly code: string | null
  readonly request_id: string | null

  constructor(message: string, { status, code, request_id }: ErrorFacts) {
    super(message)
    this.status = status
    this.code = code
    this.request_id = request_id
  }
}
