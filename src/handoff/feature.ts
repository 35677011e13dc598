import { readFirst } from 'durable-xstate-sql'
import { z } from 'zod'
import { isoTimestamp } from '../base/clock.ts'
import { wholeNumber } from '../base/setting.ts'
import { columnsOf } from '../database/schema.ts'
import type { Feature, SessionCase } from '../feature.ts'
import { timestamp } from '../schemas/common.ts'
import { meaning } from '../schemas/fields.ts'

/** The statuses in which a person captures. */
export const openStatuses: readonly string[] = ['CREATED', 'INITIATED']

/** Returns the state of the capture for the session's device; `expires_at` is an offer's. */
async function describe({ store, transaction_id, status, may_capture, now }: SessionCase) {
  if (!may_capture) return { state: 'taken', expires_at: null } as const
  const offer = openStatuses.includes(status)
    ? await readFirst(store, {
        sql: 'SELECT expires_at FROM handoffs WHERE transaction_id = ? AND token_hash IS NULL AND expires_at > ?',
        values: [transaction_id, now],
        columns: columnsOf('handoffs', 'expires_at'),
      })
    : null
  return offer === null
    ? ({ state: 'none', expires_at: null } as const)
    : ({ state: 'offered', expires_at: isoTimestamp(offer.expires_at) } as const)
}

const progress = z
  .object({
    state: z
      .enum(['none', 'offered', 'taken'])
      .meta(meaning('`offered`: a code is open. `taken`: another device captures.', 'none')),
    expires_at: timestamp.nullable().meta(meaning('When the open code expires; null without one.', null)),
  })
  .meta({ id: 'Handoff' })

/** Another device, which goes on with the capture by a one-time link. */
export const handoff = {
  settings: {
    RATE_LIMIT_HANDOFF_FAILURES: {
      default: '20',
      read: wholeNumber(0, 1_000_000),
      description: 'Wrong hand-off codes a minute from one address, and as many links that `HANDOFF_WEBHOOK` sends.',
    },
    HANDOFF_WEBHOOK: {
      is_secret: true,
      is_called: true,
      read: (url: string) => url,
      description: 'https URL of yours that sends the link for a person’s phone by e-mail or SMS.',
    },
  },
  rates: {
    handoff_failures: {
      subject: 'refused hand-off codes a minute per address',
      setting: 'RATE_LIMIT_HANDOFF_FAILURES',
    },
    handoff_links: { subject: 'hand-off links sent a minute per address', setting: 'RATE_LIMIT_HANDOFF_FAILURES' },
  },
  session: {
    handoff: progress.meta(meaning('Whether another device goes on, or may.', { state: 'none', expires_at: null })),
  },
  removed: { handoffs: ['transaction_id'] },
  describe: async (of: SessionCase) => ({ handoff: await describe(of) }),
} as const satisfies Feature
