import type { StateCertificate } from '@attestor/credentials'
import { readWalletTrustFile, type WalletPurpose } from '@attestor/credentials/wallet'
import { readAll, runAll, type Statement } from 'durable-xstate-sql'
import { ApiError } from '../base/api_error.ts'
import type { ServiceKeys } from '../base/encryption.ts'
import { computeCoveredMac } from '../database/forged_rows.ts'
import { deriveRowKey } from '../database/row_mac.ts'
import { insert, type TableRow } from '../database/schema.ts'
import { tables } from '../database/tables.ts'
import { type Actor, type AuditDeps, createAuditRecord } from '../identity/operators/audit.ts'
import { readWalletTrust, toPurposes, walletPurposes } from './trust.ts'

/** One file that was read. */
interface ImportedFile extends Pick<ReturnType<typeof readWalletTrustFile>, 'kind' | 'unreadable' | 'signature'> {
  readonly certificates: number
}

export interface WalletTrustImport {
  readonly added: number
  /** Certificates that were there, and may now sign something more. */
  readonly changed: number
  readonly known: number
  readonly files: readonly ImportedFile[]
}

type Row = Omit<TableRow<'trust_anchors'>, 'mac'>

/** Adds a certificate, or further purposes to a known one. */
function writeAnchor(rowKey: Uint8Array, row: Row, isNew: boolean): Statement {
  const mac = computeCoveredMac(rowKey, 'trust_anchors', row)
  const sql = 'UPDATE trust_anchors SET may_sign = ?, mac = ? WHERE fingerprint = ?'
  return isNew ? insert('trust_anchors', { ...row, mac }) : { sql, values: [row.may_sign, mac, row.fingerprint] }
}

function toRow(
  { fingerprint, country, subject, not_after, der }: StateCertificate,
  may_sign: string,
  now: number,
): Row {
  return { fingerprint, kind: 'WALLET', country, subject, valid_until: not_after, imported_at: now, der, may_sign }
}

/**
 * Imports certificates, VICALs and lists of trusted entities. A list needs the signature of a certificate that may sign
 * lists, and states itself what its certificates may sign. A certificate that is there for another use keeps it.
 * @throws {ApiError} `malformed_request` where a file holds nothing
 */
export async function importWalletTrust(
  deps: AuditDeps & { readonly serviceKeys: Pick<ServiceKeys, 'lookup'> },
  files: readonly Buffer[],
  may_sign: readonly WalletPurpose[],
  by: Actor,
): Promise<WalletTrustImport> {
  const { store, clock } = deps
  const now = clock.now()
  const present = await readWalletTrust(store)
  const read = files.map(file => readWalletTrustFile(file, { may_sign, anchors: present.anchors, now }))
  if (read.some(({ anchors, signature }) => anchors.length === 0 && signature === null))
    throw new ApiError('malformed_request', 'a file holds no certificate, VICAL or list of trusted entities')
  const accepted = read.filter(({ signature }) => signature === null || signature === 'PASSED')
  const { columns } = tables.trust_anchors
  const rows = await readAll(store, { sql: 'SELECT * FROM trust_anchors', values: [], columns })
  const there = new Map(rows.map(row => [row.fingerprint, row]))
  const wanted = Map.groupBy(
    accepted.flatMap(({ anchors }) => anchors),
    ({ certificate }) => certificate.fingerprint,
  )
  const rowKey = deriveRowKey(deps.serviceKeys)
  const changes = [...wanted].flatMap(([fingerprint, anchors]) => {
    const before = there.get(fingerprint)
    const purposes = new Set([...toPurposes(before?.may_sign ?? ''), ...anchors.flatMap(anchor => anchor.may_sign)])
    const after = walletPurposes.filter(purpose => purposes.has(purpose)).join(',')
    const [first] = anchors
    if (first === undefined || before?.may_sign === after) return []
    const row = before === undefined ? toRow(first.certificate, after, now) : { ...before, may_sign: after }
    return [{ statement: writeAnchor(rowKey, row, before === undefined), isNew: before === undefined }]
  })
  const added = changes.filter(({ isNew }) => isNew).length
  const changed = changes.length - added
  const details = { WALLET: added, changed }
  const record = createAuditRecord(deps, by, { action: 'trust_anchors_imported', details })
  if (changes.length > 0)
    await store.commit(function* () {
      yield* runAll(changes.map(({ statement }) => statement))
      yield* record()
    })
  return {
    added,
    changed,
    known: wanted.size - changes.length,
    files: read.map(({ kind, unreadable, signature, anchors }) => ({
      kind,
      unreadable,
      signature,
      certificates: anchors.length,
    })),
  }
}
