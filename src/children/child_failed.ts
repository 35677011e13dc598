/** Why a question has no answer. `failed`: the child that had it failed, ended, or took too long. */
export type WhyFailed = 'failed' | 'aborted' | 'stopped' | 'full' | 'away'

/** A question that has no answer. */
export class ChildFailed extends Error {
  override name = 'ChildFailed'
  readonly why: WhyFailed
  readonly stage: string | null

  constructor(
    why: WhyFailed,
    message: string,
    { stage = null, ...options }: ErrorOptions & { stage?: string | null } = {},
  ) {
    super(message, options)
    this.why = why
    this.stage = stage
  }
}
