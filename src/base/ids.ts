import { hash } from 'node:crypto'
import { newId as newDurableId } from 'durable-xstate-sql/sql'
import { v5 as uuidV5 } from 'uuid'
import { drawBytes } from './random.ts'

/** The durable core makes its ids in the same way: they sort by the time of their creation. */
export function newId(): string {
  return newDurableId()
}

/** An id that follows from another id and a name: a UUID version 5 (RFC 9562 §5.5). */
export function deriveId(id: string, name: string): string {
  return uuidV5(name, id)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** An id in lower case, as it is stored and compared; null for a text that is no id. RFC 9562 §4 accepts either case. */
export function parseId(text: string): string | null {
  return uuid.test(text) ? text.toLowerCase() : null
}

/**
 * 256 random bits in base64url, for tokens and secrets that only their holder knows. It does not begin with a dash: a
 * command line would take it for an option.
 */
export function newSecret(): string {
  const secret = drawBytes(32).toString('base64url')
  return secret.startsWith('-') ? newSecret() : secret
}

/** SHA-256 in lower-case hex. It protects a stored 256-bit random token: nobody can guess one. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data)
}
