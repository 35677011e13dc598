import { z } from 'zod'
import { attemptOutcomes, deliveryStates } from '../../../machines/words.ts'
import { id, status, timestamp, transaction_id } from '../../schemas/common.ts'
import { meaning } from '../../schemas/fields.ts'
import type { DeliveryView } from '../../webhooks/deliveries.ts'
import type { ListedDelivery } from '../../webhooks/delivery_list.ts'
import { cursorParameter, limitParameter, timeParameter, wordsParameter } from '../parameters.ts'

const attempt = z
  .object({
    attempt: z.number().int().meta(meaning('Which attempt it was, from 1, and from 1 again after a redelivery.', 1)),
    started_at: timestamp.meta(meaning('When the call was begun.')),
    duration_ms: z.number().int().meta(meaning('How long the call took, in milliseconds.', 120)),
    outcome: z
      .enum(attemptOutcomes)
      .meta(
        meaning('`delivered` by a 2xx; `gone` by a 410, after which nothing more is sent; else `failed`.', 'delivered'),
      ),
    http_status: z.number().int().nullable().meta(meaning('What the receiver answered; null where it did not.', 204)),
    address: z
      .string()
      .nullable()
      .meta(meaning('The IP address that was dialled; null where no connection was tried.', '203.0.113.7')),
    error: z.string().nullable().meta(meaning('Why it failed; null where it did not.', null)),
    answer: z
      .string()
      .nullable()
      .meta(
        meaning('The first bytes that your receiver answered, at most 1 KiB; null where there was no answer.', null),
      ),
  })
  .meta({ id: 'DeliveryAttempt' })

const common = {
  delivery_id: id.meta(meaning('One status on its way to one receiver; the same on every attempt.')),
  event_id: id.meta(
    meaning('Identifies the change of the status, the same on every attempt: repetitions are known by it.'),
  ),
  sequence: z.number().int().meta(meaning('The place in the order of this transaction’s deliveries, from 1.', 1)),
  status: status.meta(meaning('The status that it notifies of.', 'FINISHED')),
  state: z
    .enum(deliveryStates)
    .meta(
      meaning(
        'How far the delivery is: `DELIVERED`, `EXHAUSTED` and `GONE` are final until it is repeated.',
        'DELIVERED',
      ),
    ),
  occurred_at: timestamp.meta(meaning('When it happened, by the account’s clock.')),
}

export const listedDelivery = z
  .object({ ...common, transaction_id })
  .meta({ id: 'ListedDelivery' }) satisfies z.ZodType<ListedDelivery>

export const delivery = z
  .object({
    ...common,
    next_attempt_at: timestamp
      .nullable()
      .meta(meaning('When it is tried next; null where an attempt is under way, or none is planned.', null)),
    origin: z.string().meta(meaning('Scheme, host and port of the receiver.', 'https://receiver.example:443')),
    origin_paused_at: timestamp
      .nullable()
      .meta(
        meaning(
          'Since when deliveries to this origin wait, because all recent attempts failed; null where they don’t.',
        ),
      ),
    attempts: z.array(attempt).meta(meaning('Every attempt, the latest last.')),
  })
  .meta({ id: 'Delivery' }) satisfies z.ZodType<DeliveryView>

export const reachedFrom = timeParameter.meta(
  meaning('Statuses reached not before this time.', '2026-11-17T00:00:00.000Z'),
)

/** Filters of the account's deliveries. */
export const deliveriesQuery = {
  limit: limitParameter(100, 20),
  cursor: cursorParameter,
  state: wordsParameter(deliveryStates, 'DELIVERED').optional(),
  from: reachedFrom.optional(),
  to: timeParameter.optional().meta(meaning('Statuses reached before this time.', '2026-11-18T00:00:00.000Z')),
}
