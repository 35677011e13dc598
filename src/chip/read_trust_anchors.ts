import { readCertificate, readRevocationList, type TrustAnchors } from '@attestor/credentials'
import { readAll, type Store } from 'durable-xstate-sql'
import { toPlaceholders } from 'durable-xstate-sql/sql'
import { columnsOf, type TableRow } from '../database/schema.ts'

type Row = Pick<TableRow<'trust_anchors'>, 'kind' | 'der'>

const contentColumns = columnsOf('trust_anchors', 'kind', 'der')

function toAnchors(rows: readonly Row[]): TrustAnchors {
  const of = (...kinds: readonly Row['kind'][]) => rows.filter(({ kind }) => kinds.includes(kind))
  return {
    authorities: of('ROOT', 'LINK').map(({ der }) => readCertificate(der)),
    signers: of('SIGNER').map(({ der }) => readCertificate(der)),
    revocation_lists: of('REVOCATION_LIST').map(({ der }) => readRevocationList(der)),
  }
}

/**
 * Reads the certificates and revocation lists that were imported for some countries, by the two letters of their
 * certificates.
 */
export async function readTrustAnchors(store: Store, countries: readonly string[]): Promise<TrustAnchors> {
  if (countries.length === 0) return toAnchors([])
  const sql = `SELECT kind, der FROM trust_anchors WHERE country IN (${toPlaceholders(countries)})`
  return toAnchors(await readAll(store, { sql, values: countries, columns: contentColumns }))
}
