/** With `failed` the request's child failed, ended or took too long. With `unavailable` no child starts. */
export type ChildFailureReason = 'failed' | 'aborted' | 'stopped' | 'full' | 'unavailable'

/** A request without a response. */
export class ChildProcessError extends Error {
  override name = 'ChildProcessError'
  readonly reason: ChildFailureReason
  /** The stage that the request had reached. */
  readonly stage: string | null

  constructor(
    reason: ChildFailureReason,
    message: string,
    { stage = null, ...options }: ErrorOptions & { stage?: string | null } = {},
  ) {
    super(message, options)
    this.reason = reason
    this.stage = stage
  }
}
