import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { loadOrCreateKey, type NewSigningKey, type SigningKeyRow } from '../store/signing_keys.ts'
import type { AccountRoom } from './accounts.ts'

/** Access tokens are read by Attestor alone, so that the algorithm is ours: small, and quick to sign. */
export const token_algorithm = 'ES256'

const generate = async (): Promise<NewSigningKey> => {
  const pair = await generateKeyPair(token_algorithm, { extractable: true })
  const [private_jwk, public_jwk] = await Promise.all([exportJWK(pair.privateKey), exportJWK(pair.publicKey)])
  const kid = await calculateJwkThumbprint(public_jwk, 'sha256')
  const told = { kid, alg: token_algorithm, use: 'sig' }
  return { kid, alg: token_algorithm, private_jwk: { ...private_jwk, ...told }, public_jwk: { ...public_jwk, ...told } }
}

/** The keys that sign access tokens, the one in use first. They are in no JWKS: that is for webhooks only. */
export const loadTokenKeys = ({ store, clock, master }: AccountRoom): Promise<SigningKeyRow[]> =>
  loadOrCreateKey(store, clock, master, { purpose: 'access_token', algorithm: token_algorithm, generate })
