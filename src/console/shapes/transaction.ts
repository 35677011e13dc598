import { z } from 'zod'
import { decisions } from '../../../machines/words.ts'
import { closedObjectField, textField, wordField } from '../../http/fields.ts'
import { decision, id, stageTimes, status, timestamp, transaction_type } from '../../http/shapes/common.ts'
import { duplicate } from '../../http/shapes/customer.ts'
import { attempt, delivery as sentDelivery } from '../../http/shapes/delivery.ts'
import { timelineEvent as accountEvent, capture as listedCapture } from '../../http/shapes/history.ts'
import { result_data } from '../../http/shapes/transaction.ts'
import { customerPersonalData } from './administration.ts'
import { explanation } from './explanation.ts'

/** Nothing personal: every operator may read it. */
export const foundTransaction = z.object({
  id,
  account_id: id,
  account_name: z.string(),
  customer_id: id,
  transaction_type,
  status,
  decision: decision.nullable(),
  /** Why it was not approved, or awaits review: an issue code. */
  reason: z.string().nullable(),
  /** ISO 3166-1 alpha-2 of the state that issued its document. */
  country: z.string().nullable(),
  awaiting_review: z.boolean(),
  ...stageTimes,
})

const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
const point = z.object({ x: z.number(), y: z.number() })

/** Regions are shares of the upright picture, from its upper left corner. A cut-off document's corners are outside 0 to 1. */
const findings = z.object({
  zone: z
    .object({
      valid: z.boolean(),
      corrected_characters: z.number().int(),
      check_digits: z.array(z.object({ name: z.string(), passed: z.boolean() })),
      region: z.array(point).nullable(),
    })
    .nullable(),
  outline: z.array(point).nullable(),
  portrait: box.nullable(),
  face: box.nullable(),
})

export const capture = listedCapture.extend({
  /** Of a frame: what the challenge asked for, such as `TURN_LEFT`. */
  action: z.string().nullable(),
  /** Whether the frame shows it; null where it was not judged. */
  shows_action: z.boolean().nullable(),
  found: findings,
})

const reviewState = z.object({
  state: z.enum(['awaiting', 'decided', 'lapsed']),
  since: timestamp,
  due_at: timestamp,
  ended_at: timestamp.nullable(),
  operator_id: id.nullable(),
  operator_name: z.string().nullable(),
  decision: decision.nullable(),
})

export const delivery = sentDelivery.extend({ attempts: z.array(attempt.omit({ answer: true })) })

/** A transaction on one page, without anything personal. */
export const transactionRecord = z.object({
  ...foundTransaction.shape,
  account_mode: z.enum(['live', 'test']),
  expires_at: timestamp,
  erasure_id: id.nullable(),
  /** The sequence of the journal's last entry: events up to it are in this answer. */
  version: z.number().int(),
  chart: z.object({ name: z.string(), version: z.number().int(), svg: z.string() }),
  /** The active states, as the drawing's `data-state` names them. */
  states: z.array(z.string()),
  review: reviewState.nullable(),
  explanation,
  captures: z.array(capture),
  deliveries: z.array(delivery),
  /** What it shares with transactions of other customers. */
  duplicates: z.array(duplicate),
  /** What the caller may do now, by role and state. */
  actions: z.object({
    cancel: z.boolean(),
    review: z.boolean(),
    erase: z.boolean(),
    read_personal: z.boolean(),
    read_captures: z.boolean(),
    redeliver: z.boolean(),
    export_evidence: z.boolean(),
  }),
})

export const timelineEvent = accountEvent.extend({
  /** Who the operator was; null for any other source. */
  operator_id: id.nullable(),
  operator_name: z.string().nullable(),
})

/** For reviewers, as all that follows: each reading is in the audit log. */
export const transactionReference = z.object({ transaction_id: id, reference: z.string() })

export const personalData = z.object({
  reference: z.string().nullable(),
  customer: customerPersonalData,
  expected_data: z
    .object({
      first_name: z.string().nullable(),
      last_name: z.string().nullable(),
      date_of_birth: z.string().nullable(),
    })
    .nullable(),
  /** As the integrator reads it; of a transaction that awaits review, what the rules found. */
  result_data: result_data.nullable(),
  review_reason: z.string().nullable(),
  /** The first bytes of receivers' answers. */
  delivery_answers: z.array(
    z.object({ delivery_id: id, attempt: z.number().int(), started_at: timestamp, answer: z.string() }),
  ),
})

export const reviewBody = closedObjectField({
  decision: wordField(decisions),
  reason: textField(1, 1000),
})

const actor = z.object({
  actor_type: z.enum(['transaction', 'delivery']),
  id,
  /** That of the delivery's transaction. */
  transaction_id: id,
})

/** The data of a live event. */
export const liveStep = actor.extend({
  /** Counts within the actor, from 1: a page drops what it has. */
  sequence: z.number().int(),
  occurred_at: timestamp,
  event: z.string(),
  sent_by: z.string(),
  status: z.string(),
  decision: decision.nullable(),
  awaiting_review: z.boolean(),
  states: z.array(z.string()),
  /** The path of the chart's drawing. */
  chart: z.string(),
  /** The event by its name in the chart, and what is shown of its members. */
  accepted_event: z.looseObject({ type: z.string() }),
  /** What is shown of the context after it: names and counts. */
  context: z.record(z.string(), z.unknown()),
})

/** Steps, and the actors whose journal their chart does not lead through. */
export const steps = z.object({
  data: z.array(liveStep),
  unshown: z.array(actor.extend({ reason: z.string() })),
})
