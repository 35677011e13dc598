import { z } from 'zod'
import type { AttemptView, DeliveryView } from '../../webhooks/deliveries.ts'
import { deliveryStates, type ListedDelivery } from '../../webhooks/delivery_list.ts'
import { limitParameter, single, timeParameter, wordsParameter } from '../parameters.ts'
import { id, status, timestamp } from './common.ts'

const attempt = z
  .object({
    attempt: z
      .number()
      .int()
      .meta({ description: 'Which attempt it was, from 1, and from 1 again after a redelivery.' }),
    started_at: timestamp,
    duration_ms: z.number().int(),
    outcome: z.enum(['delivered', 'failed', 'gone']),
    http_status: z.number().int().nullable(),
    address: z
      .string()
      .nullable()
      .meta({ description: 'The IP address that was dialled; null where no connection was tried.' }),
    error: z.string().nullable(),
    answer: z.string().nullable().meta({
      description: 'The first bytes that your receiver answered, at most 1 KiB; null where there was no answer.',
    }),
  })
  .meta({ id: 'DeliveryAttempt' }) satisfies z.ZodType<AttemptView>

const common = {
  delivery_id: id,
  event_id: id,
  sequence: z.number().int(),
  status: status.meta({ description: 'The status that it notifies of.' }),
  state: z.enum(deliveryStates),
  occurred_at: timestamp,
}

export const listedDelivery = z
  .object({ ...common, transaction_id: id })
  .meta({ id: 'ListedDelivery' }) satisfies z.ZodType<ListedDelivery>

export const delivery = z
  .object({
    ...common,
    next_attempt_at: timestamp.nullable(),
    origin: z.string(),
    origin_paused_at: timestamp.nullable().meta({
      description:
        'Since when deliveries to this origin wait, because all recent attempts failed; null where they don’t.',
    }),
    attempts: z.array(attempt),
  })
  .meta({ id: 'Delivery' }) satisfies z.ZodType<DeliveryView>

/** Filters of the account's deliveries. */
export const deliveriesQuery = {
  limit: limitParameter(100, 20),
  cursor: single.optional(),
  state: wordsParameter(deliveryStates).optional(),
  from: timeParameter.optional(),
  to: timeParameter.optional(),
}
