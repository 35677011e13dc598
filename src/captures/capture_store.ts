import type { Clock } from '../base/clock.ts'
import { newId, sha256 } from '../base/ids.ts'
import { SealBroken, seal, unseal } from '../base/seal.ts'
import { bytes, insert, run, type Statement, text } from '../store/statement.ts'
import { readFirst, type Store } from '../store/store.ts'
import { CaptureUnreadable } from './unreadable.ts'

/** A capture on its way into storage. */
export interface NewCapture {
  readonly account_id: string
  readonly transaction_id: string
  readonly kind: string
  readonly media_type: string
  readonly content: Uint8Array
}

/** Where a capture lies, and the SHA-256 of its plain content in hex. */
export interface StoredCapture {
  readonly capture_id: string
  readonly digest: string
}

/** Captures in the database, sealed with their customer's key. */
export interface CaptureStore {
  /** Durable when it resolves. @throws {Refusal} `unavailable` */
  save(key: Uint8Array, capture: NewCapture): Promise<StoredCapture>
  /** @throws {CaptureUnreadable} when it is missing, doesn't open, or is not what its digest says */
  read(key: Uint8Array, capture: StoredCapture): Promise<Uint8Array>
  removal(capture_id: string): Statement
}

const place = (capture_id: string): string => `captures/${capture_id}`

export const createCaptureStore = (store: Store, clock: Clock): CaptureStore => ({
  async save(key, { content, ...capture }) {
    const id = newId()
    const digest = sha256(content)
    const row = {
      id,
      ...capture,
      digest,
      byte_count: content.byteLength,
      content: seal(key, place(id), content),
      created_at: clock.now(),
    }
    await store.commit(() => run(insert('captures', row)))
    return { capture_id: id, digest }
  },
  async read(key, { capture_id, digest }) {
    const row = await readFirst(store, {
      sql: 'SELECT digest, content FROM captures WHERE id = ?',
      values: [capture_id],
    })
    if (row === null) throw new CaptureUnreadable(`capture ${capture_id} is missing`)
    try {
      const content = unseal(key, place(capture_id), bytes(row, 'content'))
      if (text(row, 'digest') === digest && sha256(content) === digest) return content
    } catch (cause) {
      if (cause instanceof SealBroken) throw new CaptureUnreadable(`capture ${capture_id} does not open`, { cause })
      throw cause
    }
    throw new CaptureUnreadable(`capture ${capture_id} is not what was captured`)
  },
  removal: capture_id => ({ sql: 'DELETE FROM captures WHERE id = ?', values: [capture_id] }),
})
