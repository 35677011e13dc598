import type { Store } from 'durable-xstate-sql'
import { type FlattenedJWS, FlattenedSign, importJWK, type JWK } from 'jose'
import type { Clock } from '../../base/clock.ts'
import type { ServiceKeys } from '../../base/encryption.ts'
import { generateSigningKey } from './sign.ts'
import { loadOrCreateKey, type SigningKeyRow } from './signing_keys.ts'

/** RFC 7518 §3.4: every JOSE library verifies it. */
const algorithm = 'ES256'

export interface EvidenceKeys {
  sign(payload: unknown): Promise<FlattenedJWS>
  /** Public members only. They stay published: evidence is verified years later. */
  readonly public_keys: readonly JWK[]
}

/** RFC 7515 §4.1.9: `typ` of everything that these keys sign. */
export const evidenceType = 'attestor-evidence+json'

/** Creates the first key on a new database. @throws {DecryptionError} under another master key */
export async function openEvidenceKeys(store: Store, clock: Clock, serviceKeys: ServiceKeys): Promise<EvidenceKeys> {
  const generate = () => generateSigningKey(algorithm)
  const keys = await loadOrCreateKey(store, clock, serviceKeys, { purpose: 'evidence', algorithm, generate })
  const [active] = keys.filter(({ retired_at }: SigningKeyRow) => retired_at === null)
  if (active === undefined) throw new Error(`no ${algorithm} key signs evidence`)
  const private_key = await importJWK(active.private_jwk as JWK, algorithm)
  return {
    sign: payload =>
      new FlattenedSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: algorithm, kid: active.kid, typ: evidenceType })
        .sign(private_key),
    public_keys: keys.map(key => key.public_jwk as JWK),
  }
}
