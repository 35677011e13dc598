import { createHash, createHmac, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto'
import { type CborValue, embed, writeCbor } from '../encoding/cbor_writer.ts'
import { macKeyOf } from '../wallet/device_key.ts'
import { signJws } from '../wallet/jws.ts'
import { type SyntheticMdoc, type SyntheticSdJwt, signCose } from './wallet_credential.ts'

/** The ways in which a wallet breaks the rules. */
export interface HolderOptions {
  /** Epoch milliseconds of the wallet's clock. */
  readonly now: number
  readonly nonce?: string
  readonly origin?: string
  readonly audience?: string
  readonly client_id?: string
  readonly sd_hash?: string
  /** An mdoc's device authenticates by a MAC. */
  readonly is_mac?: boolean
  /** A key that the issuer did not sign. */
  readonly device_key?: KeyObject
  /** Elements or claims that are sent, by their names in the credential; all that is asked where it is left out. */
  readonly disclose?: readonly string[]
  /** Changes the presentation before it is sent. */
  readonly tamper?: (presentation: string) => string
}

interface ReaderKey {
  readonly x: string
  readonly y: string
}

/** A DeviceResponse that discloses some elements in a session. */
export function presentMdoc(
  credential: SyntheticMdoc,
  names: readonly string[],
  transcript: Buffer,
  { reader = null, options }: { readonly reader?: ReaderKey | null; readonly options: HolderOptions },
): Buffer {
  const { doctype, items, issuer_auth, kind } = credential
  const key = options.device_key ?? credential.device_key
  const namespaces = embed(new Map())
  const payload = writeCbor(embed(['DeviceAuthentication', { written: transcript }, doctype, namespaces]))
  const auth: readonly [string, CborValue] =
    options.is_mac === true && reader !== null
      ? ['deviceMac', authenticate(payload, key, reader, transcript)]
      : ['deviceSignature', signCose(payload, new Map(), key, { isDetached: true })]
  const shown = names.flatMap(name => items.get(name) ?? [])
  const document = new Map<string, CborValue>([
    ['docType', doctype],
    [
      'issuerSigned',
      new Map<string, CborValue>([
        ['nameSpaces', new Map([[kind.namespace ?? '', shown]])],
        ['issuerAuth', issuer_auth],
      ]),
    ],
    [
      'deviceSigned',
      new Map<string, CborValue>([
        ['nameSpaces', namespaces],
        ['deviceAuth', new Map([auth])],
      ]),
    ],
  ])
  return writeCbor(
    new Map<string, CborValue>([
      ['version', '1.0'],
      ['documents', [document]],
      ['status', 0],
    ]),
  )
}

function authenticate(payload: Buffer, privateKey: KeyObject, { x, y }: ReaderKey, transcript: Buffer): CborValue {
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const key = macKeyOf(diffieHellman({ privateKey, publicKey }), transcript)
  const header = writeCbor(new Map([[1, 5]]))
  const tag = createHmac('sha256', key)
    .update(writeCbor(['MAC0', header, Buffer.alloc(0), payload]))
    .digest()
  return [header, new Map(), null, tag]
}

/** An SD-JWT with some disclosures and a key binding. */
export function presentSdJwt(
  credential: SyntheticSdJwt,
  names: readonly string[],
  binding: { readonly nonce: string; readonly audience: string },
  options: HolderOptions,
): string {
  const shown = names.flatMap(name => credential.disclosures.get(name) ?? [])
  const text = `${[credential.token, ...shown].join('~')}~`
  const payload = {
    nonce: binding.nonce,
    aud: options.audience ?? binding.audience,
    iat: Math.floor(options.now / 1000),
    sd_hash: options.sd_hash ?? createHash('sha256').update(text).digest('base64url'),
  }
  return text + signJws({ typ: 'kb+jwt' }, payload, options.device_key ?? credential.device_key)
}
