import { z } from 'zod'
import { roles } from '../../database/words.ts'
import { closedObjectField, textField, wordField } from '../../http/fields.ts'
import { id, timestamp } from '../../http/shapes/common.ts'
import type { KeptProof } from '../../verification/evidence/prove.ts'

/** A password may be as long as a sentence. Its rules are checked where it is set. */
export const login = closedObjectField({
  name: textField(1, 64),
  password: textField(1, 256),
  code: textField(6, 6),
})

const role = z.enum(roles)

export const operator = z.object({
  operator_id: id,
  name: z.string(),
  role,
  created_at: timestamp,
  /** Null while the operator may log in. */
  disabled_at: timestamp.nullable(),
  last_login_at: timestamp.nullable(),
})

export const session = z.object({
  session_id: id,
  operator_id: id,
  name: z.string(),
  role,
  created_at: timestamp,
  last_seen_at: timestamp,
  /** The latest end; a session ends earlier after 30 minutes without a call. */
  expires_at: timestamp,
  address: z.string(),
  user_agent: z.string(),
  /** Whether it is the caller's own. */
  is_current: z.boolean(),
})

export const me = z.object({
  operator_id: id,
  name: z.string(),
  role,
  session_id: id,
  expires_at: timestamp,
  /** Milliseconds without a call after which the session ends. */
  idle_ms: z.number().int(),
})

export const newOperator = closedObjectField({ name: textField(1, 64), role: wordField(roles) })

/** Shown once: only a hash of the password is stored. */
export const operatorCredentials = z.object({
  operator_id: id,
  name: z.string(),
  role,
  password: z.string(),
  totp_secret: z.string(),
  totp_uri: z.string(),
  /** The URI as a QR code: rows of modules, true is dark. */
  totp_qr: z.array(z.array(z.boolean())),
})

export const proof = z.object({
  at: timestamp,
  is_whole: z.boolean(),
  entries: z.number().int(),
  transactions: z.number().int(),
  broken: z.array(z.string()),
}) satisfies z.ZodType<KeptProof>

export const auditEntry = z.object({
  sequence: z.number().int(),
  occurred_at: timestamp,
  operator_id: id.nullable(),
  operator_name: z.string().nullable(),
  client_id: id.nullable(),
  action: z.string(),
  address: z.string(),
  /** What was looked at or changed; null for none. */
  subject: z.object({ type: z.string(), id: z.string() }).nullable(),
  account_id: id.nullable(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
})
