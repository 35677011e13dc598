/** Why a question has no answer. `failed`: the child that had it failed, ended, or took too long. */
export type ChildFailureCause = 'failed' | 'aborted' | 'stopped' | 'full' | 'away'

/** A question that has no answer. */
export class ChildProcessError extends Error {
  override name = 'ChildProcessError'
  readonly why: ChildFailureCause
  readonly stage: string | null

  constructor(
    why: ChildFailureCause,
    message: string,
    { stage = null, ...options }: ErrorOptions & { stage?: string | null } = {},
  ) {
    super(message, options)
    this.why = why
    this.stage = stage
  }
}
