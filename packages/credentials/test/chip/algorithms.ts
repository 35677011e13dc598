import { createPrivateKey, createPublicKey } from 'node:crypto'
import { madeOnce } from '../../../../test/made_once.ts'
import { type Algorithm, generateKeys, type KeyPair } from '../../synthetic/keys.ts'

const digests = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const
const curves = [
  ...['prime192v1', 'secp224r1', 'prime256v1', 'secp384r1', 'secp521r1'],
  ...[160, 192, 224, 256, 320, 384, 512].flatMap(bits => [`brainpoolP${bits}r1`, `brainpoolP${bits}t1`]),
]

// Short keys are made fast; the smallest that hold the longest digest and its salt.
const bits = 1536

/** Every way in which a state may sign, by ICAO 9303 part 12. */
export const algorithms: readonly Algorithm[] = [
  ...digests.map(digest => ({ type: 'rsa' as const, digest, bits })),
  { type: 'rsa', digest: 'sha256', bits: 4096 },
  ...digests.map(digest => ({ type: 'pss' as const, digest, bits })),
  { type: 'pss', digest: 'sha256', mask: 'sha1', bits },
  { type: 'pss', digest: 'sha256', salt: 20, bits },
  { type: 'pss', digest: 'sha256', salt: 0, bits },
  ...digests.map(digest => ({ type: 'ecdsa' as const, digest, curve: 'brainpoolP384r1' })),
  ...curves.flatMap(curve =>
    [false, true].map(explicit => ({ type: 'ecdsa' as const, digest: 'sha256' as const, curve, explicit })),
  ),
]

type Three = readonly [KeyPair, KeyPair, KeyPair]

const made = new Map<string, Three>()

/** The sources of keys: where they change, others are made. */
const sources = ['packages/credentials/synthetic/keys.ts', 'packages/credentials/test/chip/algorithms.ts']

function makeKeys(algorithm: Algorithm): Three {
  if (algorithm.type === 'ecdsa') return [generateKeys(algorithm), generateKeys(algorithm), generateKeys(algorithm)]
  // An RSA key takes longer to make than everything else about a chip.
  const masked =
    algorithm.type === 'pss' && algorithm.mask !== undefined ? `_${algorithm.digest}_${algorithm.mask}` : ''
  const name = `rsa_keys_${algorithm.bits}${masked}`
  const [root, signer, other] = madeOnce(name, sources, () =>
    ['root', 'signer', 'other'].map(() =>
      generateKeys(algorithm).private_key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    ),
  ).map(pem => {
    const private_key = createPrivateKey(pem)
    return { algorithm, private_key, spki: createPublicKey(private_key).export({ format: 'der', type: 'spki' }) }
  })
  if (root === undefined || signer === undefined || other === undefined) throw new Error(`${name}: a key is missing`)
  return [root, signer, other]
}

function kindOf(algorithm: Algorithm): string {
  const isOwn = algorithm.type === 'ecdsa' || (algorithm.type === 'pss' && algorithm.mask !== undefined)
  return isOwn ? JSON.stringify(algorithm) : `RSA ${algorithm.bits}`
}

/** Returns three keys for an algorithm. An RSA key serves each digest, unless it names its mask. */
export function listKeys(algorithm: Algorithm): Three {
  const kind = kindOf(algorithm)
  const [root, signer, other] = made.get(kind) ?? makeKeys(algorithm)
  made.set(kind, [root, signer, other])
  return [
    { ...root, algorithm },
    { ...signer, algorithm },
    { ...other, algorithm },
  ]
}
