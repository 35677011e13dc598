import test from 'ava'
import { generateKeys } from '../../synthetic/keys.ts'
import { readRequestObject } from '../../synthetic/wallet_holder.ts'
import { walletAlgorithm } from '../../synthetic/wallet_issuer.ts'
import { answerLink, type HolderOptions, issueMdoc, issueSdJwt, type SyntheticCredential } from '../../synthetic.ts'
import { describeWalletLink, signRequestObject, type WalletRequest } from '../../wallet.ts'
import { createRequest, issued, issuers, judge, listDoubts, minute, now, origin, party } from './invented_wallet.ts'

/**
 * The OpenID Foundation's plan for verifiers (`oid4vp-1final-verifier-test-plan` of its conformance suite), module by module,
 * for every client identifier, format and response mode that it has.
 */

const clients = ['x509_hash', 'x509_san_dns', 'redirect_uri'] as const
const modes = ['direct_post', 'direct_post.jwt'] as const
const year = 365 * 86_400_000

const credentials = {
  sd_jwt_vc: issueSdJwt(issuers.PID, { ...issued, jwk: { use: 'sig', alg: 'ES256', kid: 'holder' } }),
  iso_mdl: issueMdoc(issuers.MDL, issued),
} as const

type Format = keyof typeof credentials

const minimal = issueSdJwt(issuers.PID, issued)
const strangeKey = generateKeys(walletAlgorithm).private_key

/** The wallet's way to the request: as the link has it, fetched, fetched twice, or posted for. */
type Way = 'GET' | 'TWICE' | 'POST'

interface Module {
  readonly name: string
  /** The checks that do not pass; empty: all is proven. */
  readonly doubts: readonly string[]
  readonly of?: Format
  readonly way?: Way
  readonly change?: (credential: SyntheticCredential) => SyntheticCredential
  readonly options?: (request: WalletRequest) => Partial<HolderOptions>
}

/** A credential of which one byte of the issuer's signature is another one. */
function breakSignature(credential: SyntheticCredential): SyntheticCredential {
  if (credential.format === 'SD_JWT_VC') {
    const [header, payload, signature = ''] = credential.token.split('.')
    const bytes = Buffer.from(signature, 'base64url')
    return { ...credential, token: `${header}.${payload}.${flip(bytes).toString('base64url')}` }
  }
  const parts = credential.issuer_auth as readonly Buffer[]
  return { ...credential, issuer_auth: [...parts.slice(0, 3), flip(parts[3] ?? Buffer.alloc(0))] }
}

function flip(signature: Buffer): Buffer {
  const changed = Buffer.from(signature)
  changed[40] = (changed[40] ?? 0) ^ 1
  return changed
}

const modules: readonly Module[] = [
  { name: 'happy flow', doubts: [] },
  { name: 'minimal cnf', doubts: [], of: 'sd_jwt_vc', change: () => minimal },
  { name: 'request_uri by POST', doubts: [], way: 'POST' },
  { name: 'request_uri fetched twice', doubts: [], way: 'TWICE' },
  {
    name: 'invalid session transcript',
    doubts: ['binding FAILED NOT_SIGNED'],
    of: 'iso_mdl',
    options: ({ nonce }) => ({ nonce: `${nonce}INVALID` }),
  },
  {
    name: 'invalid key-binding signature',
    doubts: ['binding FAILED NOT_SIGNED'],
    options: () => ({ device_key: strangeKey }),
  },
  {
    name: 'invalid credential signature',
    doubts: ['signature FAILED NOT_SIGNED'],
    change: breakSignature,
  },
  {
    name: 'invalid sd_hash',
    doubts: ['binding FAILED DIGEST_DIFFERS'],
    of: 'sd_jwt_vc',
    options: () => ({ sd_hash: Buffer.alloc(32, 1).toString('base64url') }),
  },
  {
    name: 'invalid nonce',
    doubts: ['binding FAILED ANOTHER_REQUEST'],
    of: 'sd_jwt_vc',
    options: ({ nonce }) => ({ nonce: `${nonce}INVALID` }),
  },
  {
    name: 'invalid audience',
    doubts: ['binding FAILED ANOTHER_REQUEST'],
    of: 'sd_jwt_vc',
    options: () => ({ audience: 'https://another.example' }),
  },
  {
    name: 'time in the past',
    doubts: ['binding FAILED EXPIRED'],
    of: 'sd_jwt_vc',
    options: () => ({ now: now - year }),
  },
  {
    name: 'time in the future',
    doubts: ['binding FAILED NOT_YET_VALID'],
    of: 'sd_jwt_vc',
    options: () => ({ now: now + year }),
  },
]

/** Returns that from which a wallet answers: the link itself, or the request object that it fetches. */
function fetchRequest(request: WalletRequest, way: Way): string {
  if (request.client_id.startsWith('redirect_uri:')) return describeWalletLink(request, null)
  const link = new URL(describeWalletLink(request, `${origin}/wallet/requests/7`))
  const object = signRequestObject(request, party, way === 'POST' ? 'wallet-nonce' : null)
  const read = readRequestObject(way === 'TWICE' ? signRequestObject(request, party, null) : object)
  if (read.client_id !== link.searchParams.get('client_id'))
    throw new Error('the request is of another client than the link')
  if (link.searchParams.get('request_uri_method') !== 'post')
    throw new Error('the link does not offer to be posted for')
  if ((read.wallet_nonce ?? null) !== (way === 'POST' ? 'wallet-nonce' : null))
    throw new Error('the nonce is not the wallet’s')
  return object
}

for (const client of clients)
  for (const format of Object.keys(credentials) as Format[])
    for (const mode of modes)
      test(`the verifier's plan passes for ${client}, ${format} and ${mode}`, async t => {
        const options = client === 'redirect_uri' ? { party: null } : { party, client }
        for (const { name, doubts, of, way = 'GET', change, options: deviate } of modules) {
          // A request that the link has is not fetched.
          if ((of ?? format) !== format || (way !== 'GET' && client === 'redirect_uri')) continue
          const request = createRequest({ ...options, is_encrypted: mode === 'direct_post.jwt' })
          const credential = change?.(credentials[format]) ?? credentials[format]
          const holder = { now: now + minute, ...deviate?.(request) }
          const { response_uri, form } = await answerLink(credential, fetchRequest(request, way), holder)
          t.is(response_uri, request.response_uri)
          const verified = await judge(request, { protocol: mode, data: form })
          t.deepEqual(listDoubts(verified), doubts, name)
        }
      })
