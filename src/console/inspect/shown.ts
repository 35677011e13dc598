/** The members that are shown: `true` shows the value itself, an object shows members of it. */
interface Shape {
  readonly [member: string]: true | Shape
}

const limits: Shape = {
  ttl_ms: true,
  capture_attempts: true,
  challenge_attempts: true,
  challenge_ms: true,
  analysis_attempts: true,
  analysis_backoff_ms: true,
  analysis_deadline_ms: true,
}

/**
 * An inspector sees these members of contexts and events: names and counts. Everything else is left out, also data that
 * might only indirectly reveal something about a person: digests, references, declarations and decisions.
 */
const contextShape: Shape = {
  transaction_type: true,
  limits,
  takes: { front: true, back: true, selfie: true, challenge: true },
  device: true,
  analysis_attempt: true,
  failure: true,
  schedule_ms: true,
  has_turn: true,
  attempt: true,
  retry_delay_ms: true,
}

const eventShape: Shape = {
  type: true,
  by: true,
  position: true,
  actions: true,
  input: { transaction_type: true, limits, schedule_ms: true, has_turn: true },
  output: { outcome: true, jitter: true, retry_after_ms: true },
  error: { code: true },
}

/** A name as in charts and codes: never a text or a number of a person. */
const name = /^[a-z_][a-z0-9_.-]{0,99}$/i

function isShown(value: unknown): boolean {
  return (
    value === null || ['number', 'boolean'].includes(typeof value) || (typeof value === 'string' && name.test(value))
  )
}

function shownValue(value: unknown): unknown {
  return Array.isArray(value) ? value.filter(isShown) : isShown(value) ? value : undefined
}

function shownMembers(value: unknown, shape: Shape): Readonly<Record<string, unknown>> {
  const given = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  const members = Object.entries(shape)
    .filter(([member]) => Object.hasOwn(given, member))
    .map(([member, inner]) => {
      const one = given[member]
      return [member, inner === true || one === null ? shownValue(one) : shownMembers(one, inner)] as const
    })
  return Object.fromEntries(members.filter(([, one]) => one !== undefined))
}

export function shownContext(context: unknown): Readonly<Record<string, unknown>> {
  return shownMembers(context, contextShape)
}

export function shownEvent(event: { readonly type: string }): Readonly<Record<string, unknown>> & typeof event {
  return { ...shownMembers(event, eventShape), type: event.type }
}
