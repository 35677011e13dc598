import { z } from 'zod'
import { closedObjectField, rule, textField, wordField } from '../../http/fields.ts'
import { id, timestamp } from '../../http/shapes/common.ts'
import { customer as accountCustomer } from '../../http/shapes/customer.ts'
import { originStates } from '../list_origins.ts'

const flag = z.boolean({ error: rule('must be true or false') })

export const account = z.object({
  account_id: id,
  name: z.string(),
  mode: z.enum(['live', 'test']),
  /** Whether UNDETERMINED transactions wait for a reviewer. */
  review: z.boolean(),
  /** Whether the person may once take again what the analysis could not judge. */
  resubmission: z.boolean(),
  /** Whether selfies are searched among its enrolled faces. */
  face_search: z.boolean(),
  created_at: timestamp,
})

export const client = z.object({ client_id: id, created_at: timestamp, revoked_at: timestamp.nullable() })

export const accountWithClients = z.object({ ...account.shape, clients: z.array(client) })

export const newAccount = closedObjectField({
  name: textField(1, 255),
  mode: wordField(['live', 'test']).default('live'),
  review: flag.default(false),
})

export const accountChange = closedObjectField({
  review: flag.optional(),
  resubmission: flag.optional(),
  face_search: flag.optional(),
})

/** Shown once: only an HMAC of the secret is stored. */
export const clientCredentials = z.object({ account_id: id, client_id: id, client_secret: z.string() })

export const customer = z.object({
  customer_id: id,
  account_id: id,
  account_name: z.string(),
  created_at: timestamp,
  is_enrolled: z.boolean(),
})

/** For reviewers: each reading is in the audit log. */
export const customerPersonalData = accountCustomer.omit({ created_at: true })

export const signingKey = z.object({
  kid: z.string(),
  alg: z.string(),
  state: z.enum(['active', 'next', 'retired', 'withdrawn']),
  active_at: timestamp,
  retired_at: timestamp.nullable(),
})

const many = z.number().int()

export const stateTrust = z.object({
  /** Two letters, as its certificates have them. */
  country: z.string(),
  roots: many,
  links: many,
  signers: many,
  revocation_lists: many,
  /** When the last of its roots ends. */
  valid_until: timestamp.nullable(),
  imported_at: timestamp,
})

export const trustAnchors = z.object({
  data: z.array(stateTrust),
  without_root: z.array(z.string()),
})

export const keyRotation = closedObjectField({
  /** Hours until the new key signs; two minutes at least. */
  in_hours: z
    .number({ error: rule('must be a number of hours from 0 to 720') })
    .min(0, { error: 'must be a number of hours from 0 to 720' })
    .max(720, { error: 'must be a number of hours from 0 to 720' })
    .default(24),
})

export const origin = z.object({
  account_id: id,
  account_name: z.string(),
  /** `scheme://host:port`. */
  origin: z.string(),
  state: z.enum(originStates),
  failing_since: timestamp.nullable(),
  paused_at: timestamp.nullable(),
  /** Who paused it; null where its failures did. */
  paused_by: z.object({ operator_id: id, name: z.string() }).nullable(),
  /** Deliveries that wait for it or are under way. */
  waiting: z.number().int(),
})

export const originReference = closedObjectField({ account_id: id, origin: textField(1, 300) })

const queue = z.object({
  queue: z.string(),
  waiting: z.number().int(),
  oldest_at: timestamp.nullable(),
})

const node = z.object({
  node_id: id,
  url: z.string(),
  version: z.string(),
  roles: z.array(z.string()),
  started_at: timestamp,
  last_seen_at: timestamp,
  /** `lost`: not seen for a while. */
  state: z.enum(['ready', 'not_ready', 'lost']),
  reasons: z.array(z.string()),
  /** Analyses that it could run now; null without the role `worker`. */
  analysis_capacity: z.number().nullable(),
  processes: z
    .array(z.object({ work: z.string(), ready: z.number().int(), restarts: z.number().int() }))
    .meta({ description: 'Its child processes.' }),
})

export const system = z.object({
  now: timestamp,
  version: z.string(),
  queues: z.array(queue),
  reviews: z.object({ waiting: z.number().int(), oldest_at: timestamp.nullable() }),
  nodes: z.array(node),
})
