import { type AttemptLimits, type Guard, sendWebhook } from '@attestor/outbound'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { type SigningKey, signDelivery } from '../identity/keys/sign.ts'

/** The JSON that the operator's receiver gets. */
interface HandoffLink {
  /** The account's name. */
  readonly account: string
  readonly channel: 'EMAIL' | 'SMS'
  /** An e-mail address or a telephone number: it is in no log and no table. */
  readonly recipient: string
  readonly link: string
  /** The language that the person reads, otherwise the transaction's; null where neither is known. */
  readonly locale: string | null
  /** The link's end: ISO 8601, UTC. */
  readonly expires_at: string
}

/** Resolves with whether the receiver took it. */
export type SendLink = (link: HandoffLink) => Promise<boolean>

/** A person waits for it. */
const limits: AttemptLimits = { connect_ms: 3000, total_ms: 5000, body_bytes: 1024 }

export interface LinkSenderDeps {
  /** Setting `HANDOFF_WEBHOOK`. */
  readonly url: string
  readonly guard: Guard
  readonly clock: Clock
  readonly log: Log
  readonly signingKey: () => Promise<SigningKey>
  readonly version: string
}

/**
 * One attempt for each link. The signature is over `<timestamp>:<body>`: without the body, a receiver of other webhooks
 * could have a link of its own sent to anybody.
 */
export function createLinkSender({ url, guard, clock, log, signingKey, version }: LinkSenderDeps): SendLink {
  return async link => {
    const body = JSON.stringify(link)
    const signed = await signDelivery({ key: await signingKey(), timestamp: clock.now(), subject: body })
    const headers = { ...signed, 'User-Agent': `Attestor-Webhook/${version}`, 'Content-Type': 'application/json' }
    // The response is not logged: it may repeat the recipient.
    const { outcome, status, error } = await sendWebhook({ url, headers, body, guard, clock, limits })
    if (outcome !== 'delivered') log.warn({ status, error }, 'the receiver of HANDOFF_WEBHOOK took no link')
    return outcome === 'delivered'
  }
}
