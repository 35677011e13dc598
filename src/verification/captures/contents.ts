import type { Statement } from 'durable-xstate-sql'
import { unavailable } from '../../base/api_error.ts'
import type { EncryptedContent } from './content_thread.ts'

/** A content that is encrypted when it can be stored: until then it is held once, not twice. */
export interface NewContent {
  readonly size: number
  readonly encrypt: () => Promise<EncryptedContent>
}

/** The capture that a content belongs to. */
export interface ContentOwner {
  readonly id: string
  readonly account_id: string
  readonly transaction_id: string
}

/** A content that is stored, but that no capture names yet. */
export interface StoredContent {
  /** Content for the capture's row, whole or its head; null when the content is outside of the database. */
  readonly content: Buffer | null
  /** Further statements for the commit of that row. */
  readonly writes: readonly Statement[]
  /** No commit may name the content after this time (epoch milliseconds), because it may be deleted then. Null is no limit. */
  readonly usableUntil: number | null
}

/** Called in the commit that names a content. @throws {ApiError} `unavailable` if that comes too late */
export function requireUsable(usableUntil: number | null, now: number): void {
  if (usableUntil !== null && now > usableUntil) throw unavailable('the upload took too long: try again')
}

/** The columns of a capture's row by which its content is found. */
export interface ContentRow {
  readonly id: string
  readonly byte_count: number
  readonly content: Uint8Array | null
}

/** The store of the captures' encrypted contents. */
export interface CaptureContents {
  /** Stores a content, before the commit of its capture. @throws {ApiError} `unavailable` */
  put(owner: ContentOwner, content: NewContent): Promise<StoredContent>
  /** The contents by capture id; missing ones are left out. @throws {ApiError} `unavailable` */
  get(rows: readonly ContentRow[]): Promise<ReadonlyMap<string, Uint8Array>>
  /**
   * Deletes a bounded number of contents that no capture names any more, or whose commit never came. Resolves with
   * their number; with 0 when nothing is left to delete now. @throws {ApiError} `unavailable`
   */
  collect(): Promise<number>
  /** False while contents can't be read or written. */
  isAvailable(): boolean
  close(): void
}
