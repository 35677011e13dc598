import { type FlattenedJWS, FlattenedSign, importJWK, type JWK } from 'jose'
import type { Clock } from '../base/clock.ts'
import type { Store } from '../durable/store/store.ts'
import { generateSigningKey } from '../webhooks/sign.ts'
import { loadOrCreateKey, type SigningKeyRow } from './signing_keys.ts'

/** RFC 7518 §3.4: every JOSE library verifies it; short, and made in no time. */
const algorithm = 'ES256'

/** The keys that sign evidence. */
export interface EvidenceKeys {
  sign(payload: unknown): Promise<FlattenedJWS>
  /** For the JWKS, public members only. Published for good: evidence is looked at after years. */
  readonly public_keys: readonly JWK[]
}

/** RFC 7515 §4.1.9: what a signature of these keys is for, and for nothing else. */
export const evidence_type = 'attestor-evidence+json'

/** Opens the keys; on a new database it makes the first. @throws {DecryptionError} under another master key */
export const openEvidenceKeys = async (store: Store, clock: Clock, master: Uint8Array): Promise<EvidenceKeys> => {
  const generate = () => generateSigningKey(algorithm)
  const keys = await loadOrCreateKey(store, clock, master, { purpose: 'evidence', algorithm, generate })
  const [active] = keys.filter(({ retired_at }: SigningKeyRow) => retired_at === null)
  if (active === undefined) throw new Error(`no ${algorithm} key signs evidence`)
  const private_key = await importJWK(active.private_jwk as JWK, algorithm)
  return {
    sign: payload =>
      new FlattenedSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: algorithm, kid: active.kid, typ: evidence_type })
        .sign(private_key),
    public_keys: keys.map(key => key.public_jwk as JWK),
  }
}
