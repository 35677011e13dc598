import { type RevocationList, readCertificate, readRevocationList } from '@attestor/credentials'
import type { WalletAnchor, WalletPurpose, WalletTrust } from '@attestor/credentials/wallet'
import { readAll, type Store } from 'durable-xstate-sql'
import { columnsOf } from '../database/schema.ts'

/** The purposes of a certificate, as operators name them. */
export const walletPurposes = ['MDL', 'PID', 'AGE', 'STATUS', 'LIST'] as const satisfies readonly WalletPurpose[]

const columns = columnsOf('trust_anchors', 'kind', 'may_sign', 'der')

/** The values as they are stored. */
export function toPurposes(may_sign: string): readonly WalletPurpose[] {
  return walletPurposes.filter(purpose => may_sign.split(',').includes(purpose))
}

/** All certificates that may sign for wallets, which are few, with their issuers' lists of revoked certificates. */
export async function readWalletTrust(store: Store): Promise<Omit<WalletTrust, 'status_lists'>> {
  const sql = `SELECT kind, may_sign, der FROM trust_anchors
    WHERE may_sign IS NOT NULL OR (kind = 'REVOCATION_LIST'
      AND country IN (SELECT country FROM trust_anchors WHERE may_sign IS NOT NULL))`
  const rows = await readAll(store, { sql, values: [], columns })
  const anchors = rows.flatMap(({ may_sign, der }): WalletAnchor[] =>
    may_sign === null ? [] : [{ certificate: readCertificate(der), may_sign: toPurposes(may_sign) }],
  )
  const revocation_lists = rows.flatMap(({ kind, der }): RevocationList[] =>
    kind === 'REVOCATION_LIST' ? [readRevocationList(der)] : [],
  )
  return { anchors, revocation_lists }
}
