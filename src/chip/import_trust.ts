import {
  type CertificateKind,
  checkMasterList,
  classifyCertificate,
  classifyListed,
  isListOfKnown,
  type MasterListSignature,
  type RevocationList,
  readMasterList,
  readTrustFile,
  type SignedContent,
  type StateCertificate,
  type TrustAnchors,
} from '@attestor/credentials'
import { readAll, run, runAll, type Statement } from 'durable-xstate-sql'
import { ApiError } from '../base/api_error.ts'
import type { ServiceKeys } from '../base/encryption.ts'
import { computeCoveredMac } from '../database/forged_rows.ts'
import { deriveRowKey } from '../database/row_mac.ts'
import { columnsOf, insert, type TableRow } from '../database/schema.ts'
import { tables } from '../database/tables.ts'
import { type Actor, type AuditDeps, createAuditRecord } from '../identity/operators/audit.ts'
import { readTrustAnchors } from './read_trust_anchors.ts'
import { type ChipAnchorKind, isForChips } from './trust_anchors.ts'

type Row = Omit<TableRow<'trust_anchors'>, 'mac'>

/** A master list that was not imported, and why. */
export interface RefusedList {
  /** The signer that the list itself names. */
  readonly signer: string
  readonly issuer: string
  readonly reason: Exclude<MasterListSignature, 'PASSED'>
}

export interface TrustImport {
  /** Number of new certificates and lists, by kind. */
  readonly added: Readonly<Record<ChipAnchorKind, number>>
  readonly known: number
  /** Certificates that nothing can rest on, and entries that cannot be read. */
  readonly skipped: number
  readonly lists: number
  /** The countries of revocation lists whose signer's certificate is not imported: they revoke nothing. */
  readonly unsigned_lists: readonly string[]
  readonly refused_lists: readonly RefusedList[]
}

function toRow(certificate: StateCertificate, kind: CertificateKind | null, now: number): Row | null {
  if (kind === null) return null
  const { fingerprint, country, subject, not_after, der } = certificate
  return { fingerprint, kind, country, subject, valid_until: not_after, imported_at: now, der, may_sign: null }
}

function toListRow({ fingerprint, country, issuer, next_at, der }: RevocationList, now: number): Row {
  return {
    fingerprint,
    kind: 'REVOCATION_LIST',
    country,
    subject: issuer,
    valid_until: next_at,
    imported_at: now,
    der,
    may_sign: null,
  }
}

function refuse(list: SignedContent, reason: RefusedList['reason']): RefusedList {
  const [signer] = list.certificates
  return { signer: signer?.subject ?? '', issuer: signer?.issuer ?? '', reason }
}

function isAuthorityOfList(certificate: StateCertificate): boolean {
  return ['ROOT', 'LINK'].includes(classifyListed(certificate) ?? '')
}

/** Certificates of the lists that the anchors vouch for: one list may bring the root of another's signer. */
function readLists(lists: readonly SignedContent[], anchors: TrustAnchors, now: number) {
  let pending = lists
  let authorities = anchors.authorities
  let unreadable = 0
  for (;;) {
    const judged = pending.map(list => ({ list, signature: checkMasterList(list, { ...anchors, authorities }, now) }))
    const accepted = judged.filter(({ signature }) => signature === 'PASSED').map(({ list }) => readMasterList(list))
    const refused = judged.flatMap(({ list, signature }) => (signature === 'PASSED' ? [] : [refuse(list, signature)]))
    unreadable += accepted.reduce((sum, one) => sum + one.unreadable, 0)
    authorities = [...authorities, ...accepted.flatMap(({ certificates }) => certificates).filter(isAuthorityOfList)]
    pending = judged.filter(({ signature }) => signature !== 'PASSED').map(({ list }) => list)
    if (accepted.length === 0 || pending.length === 0) return { authorities, refused, unreadable }
  }
}

/** Returns the countries whose anchors may vouch for a file's lists. */
function countriesOf(lists: readonly SignedContent[]): string[] {
  return [...new Set(lists.flatMap(list => list.certificates.map(({ country }) => country)))]
}

/** Adds an anchor. One that is there for another use changes its kind, and keeps its permissions. */
function writeAnchor(rowKey: Uint8Array, row: Row, known: Row | undefined): Statement {
  if (known === undefined)
    return insert('trust_anchors', { ...row, mac: computeCoveredMac(rowKey, 'trust_anchors', row) })
  const mac = computeCoveredMac(rowKey, 'trust_anchors', { ...known, kind: row.kind })
  const sql = 'UPDATE trust_anchors SET kind = ?, mac = ? WHERE fingerprint = ?'
  return { sql, values: [row.kind, mac, row.fingerprint] }
}

export interface TrustDeps extends AuditDeps {
  readonly serviceKeys: Pick<ServiceKeys, 'lookup'>
}

/**
 * Imports certificates, revocation lists and master lists. A certificate in a file of its own is the operator's to vouch
 * for; a master list needs the signature of a state whose root is there, or comes with it.
 */
export async function importTrust(deps: TrustDeps, files: readonly Buffer[], by: Actor): Promise<TrustImport> {
  const { store, clock } = deps
  const now = clock.now()
  const read = files.map(readTrustFile)
  const single = read.flatMap(({ certificates }) => certificates)
  const lists = read.flatMap(({ master_lists }) => master_lists)
  const revocations = read.flatMap(({ revocation_lists }) => revocation_lists)
  if (single.length + lists.length + revocations.length === 0)
    throw new ApiError('malformed_request', 'the files hold no certificate, revocation list or master list')
  const countries = [...new Set([...countriesOf(lists), ...revocations.map(({ country }) => country)])]
  const present = await readTrustAnchors(store, countries)
  const trusted = single.filter(one => ['ROOT', 'LINK'].includes(classifyCertificate(one) ?? ''))
  const own = { ...present, authorities: [...present.authorities, ...trusted] }
  const { authorities, refused, unreadable } = readLists(lists, own, now)
  const ofLists = authorities.slice(own.authorities.length)
  const certificates = [...single, ...ofLists]
  const rows = [
    ...single.flatMap(one => toRow(one, classifyCertificate(one), now) ?? []),
    ...ofLists.flatMap(one => toRow(one, classifyListed(one), now) ?? []),
    ...revocations.map(list => toListRow(list, now)),
  ]
  const { columns } = tables.trust_anchors
  const all = await readAll(store, { sql: 'SELECT * FROM trust_anchors', values: [], columns })
  const of = (isOfChips: boolean) =>
    new Map(all.flatMap(row => (isForChips(row.kind) === isOfChips ? [[row.fingerprint, row] as const] : [])))
  const [there, ofOthers] = [of(true), of(false)]
  const fresh = [...new Map(rows.map(row => [row.fingerprint, row])).values()].filter(
    row => !there.has(row.fingerprint),
  )
  const count = (kind: Row['kind']): number => fresh.filter(row => row.kind === kind).length
  const added = {
    ROOT: count('ROOT'),
    LINK: count('LINK'),
    SIGNER: count('SIGNER'),
    REVOCATION_LIST: count('REVOCATION_LIST'),
  }
  const record = createAuditRecord(deps, by, { action: 'trust_anchors_imported', details: added })
  const rowKey = deriveRowKey(deps.serviceKeys)
  if (fresh.length > 0)
    await store.commit(function* () {
      yield* runAll(fresh.map(row => writeAnchor(rowKey, row, ofOthers.get(row.fingerprint))))
      yield* record()
    })
  return {
    added,
    known: rows.length - fresh.length,
    skipped: certificates.length + revocations.length - rows.length + unreadable + sumUnreadable(read),
    lists: lists.length - refused.length,
    unsigned_lists: revocations
      .filter(
        list =>
          !isListOfKnown(
            list,
            authorities.filter(({ country }) => country === list.country),
          ),
      )
      .map(({ country }) => country),
    refused_lists: refused,
  }
}

function sumUnreadable(files: readonly { readonly unreadable: number }[]): number {
  return files.reduce((sum, { unreadable }) => sum + unreadable, 0)
}

/** Removes one anchor by its fingerprint, or all of a country. Returns their number. */
export async function removeTrust(
  deps: AuditDeps,
  which: { readonly fingerprint: string } | { readonly country: string },
  by: Actor,
): Promise<number> {
  const { store } = deps
  const [column, value] =
    'fingerprint' in which ? ['fingerprint', which.fingerprint.toLowerCase()] : ['country', which.country.toUpperCase()]
  const columns = columnsOf('trust_anchors', 'fingerprint')
  const sql = `SELECT fingerprint FROM trust_anchors WHERE ${column} = ?`
  const found = await readAll(store, { sql, values: [value], columns })
  if (found.length === 0) throw new ApiError('not_found', `${column}: not found`)
  const record = createAuditRecord(deps, by, {
    action: 'trust_anchors_removed',
    details: { [column]: value, removed: found.length },
  })
  await store.commit(function* () {
    yield* run({ sql: `DELETE FROM trust_anchors WHERE ${column} = ?`, values: [value] })
    yield* record()
  })
  return found.length
}
