import { readAll, type Store } from 'durable-xstate-sql'
import { listColumns } from 'durable-xstate-sql/sql'
import { isoTimestamp } from '../../base/clock.ts'
import type { TableRow } from '../../database/schema.ts'
import { tables } from '../../database/tables.ts'
import { type AuditLink, computeAuditHash, readAuditEnds } from './audit.ts'

const { columns } = tables.audit
const pageRows = 500

/** The entries after `from` up to `last`, the oldest first, as they are stored. */
export async function* readAudit(store: Store, last: number, from = 0): AsyncGenerator<TableRow<'audit'>> {
  const sql = `SELECT ${listColumns(columns)} FROM audit WHERE sequence > ? AND sequence <= ?
    ORDER BY sequence LIMIT ${pageRows}`
  for (let after = from; ; ) {
    const rows = await readAll(store, { sql, values: [after, last], columns })
    yield* rows
    const newest = rows.at(-1)
    if (newest === undefined || rows.length < pageRows) return
    after = newest.sequence
  }
}

/** The log has an entry that does not follow the one before it, or does not begin or end where it should. */
export class BrokenAuditError extends Error {
  override name = 'BrokenAuditError'
}

export interface AuditChecker {
  /** @throws {BrokenAuditError} */
  check(row: TableRow<'audit'>): void
  /** Must be called after the last entry, which must be the head. @throws {BrokenAuditError} */
  end(head: AuditLink): void
}

/** The anchor that the removal of older entries recorded. */
function readRemoval({ action, details }: TableRow<'audit'>): AuditLink | null {
  if (action !== 'audit_removed') return null
  const { last_sequence, last_hash } = JSON.parse(details) as { last_sequence: number; last_hash: string }
  return { sequence: last_sequence, hash: last_hash }
}

/**
 * Checks entries in order, each by the hash of the one before, the first by the anchor, the last by the head. It also
 * detects that somebody removed entries and moved the anchor by hand: a legitimate removal is itself an entry. Of a
 * sample the anchor is any entry.
 */
export function createAuditChecker(anchor: AuditLink, { isSample = false } = {}): AuditChecker {
  let last: AuditLink = anchor
  let removed: AuditLink | null = null
  return {
    check(row) {
      if (row.sequence !== last.sequence + 1) throw new BrokenAuditError(`audit: entry ${last.sequence + 1} is missing`)
      if (computeAuditHash(last.hash, row) !== row.hash)
        throw new BrokenAuditError(`audit: entry ${row.sequence} was changed`)
      last = row
      removed = readRemoval(row) ?? removed
    },
    end(head) {
      if (last.sequence < head.sequence) throw new BrokenAuditError(`audit: entry ${last.sequence + 1} is missing`)
      if (last.sequence > head.sequence) throw new BrokenAuditError(`audit: entry ${last.sequence} was added`)
      if (last.hash !== head.hash) throw new BrokenAuditError(`audit: entry ${last.sequence} was changed`)
      if (!isSample && anchor.sequence > 0 && (removed?.sequence !== anchor.sequence || removed.hash !== anchor.hash))
        throw new BrokenAuditError(`audit: entries up to ${anchor.sequence} are missing, and no entry says so`)
    },
  }
}

/** The log as lines of JSON, checked as it is read. @throws {BrokenAuditError} after the last line that is sound */
export async function* exportAudit(store: Store): AsyncGenerator<string> {
  const ends = await readAuditEnds(store)
  const checker = createAuditChecker(ends.anchor)
  for await (const row of readAudit(store, ends.head.sequence)) {
    checker.check(row)
    yield `${JSON.stringify({ ...row, occurred_at: isoTimestamp(row.occurred_at), details: JSON.parse(row.details) })}\n`
  }
  checker.end(ends.head)
}
