import { createHash, type KeyObject, sign } from 'node:crypto'
import type { WalletClaim } from '@attestor/rules'
import { type CborValue, embed, type Tagged, writeCbor } from '../encoding/cbor_writer.ts'
import { writeCoseKey } from '../wallet/cose.ts'
import { type CredentialKind, nameAge } from '../wallet/credential_kinds.ts'
import { signJws } from '../wallet/jws.ts'
import type { StatusReference } from '../wallet/status_reference.ts'
import { generateKeys } from './keys.ts'
import { kindOf, type WalletIssuer, walletAlgorithm } from './wallet_issuer.ts'

/** A person as credentials describe one. */
interface WalletPerson extends Readonly<Record<Exclude<WalletClaim, 'portrait' | 'sex'>, string>> {
  readonly sex: 1 | 2 | 9
  readonly portrait: Buffer | null
  /** Whether the person is over some ages. */
  readonly ages: Readonly<Record<number, boolean>>
}

export const specimenPerson: WalletPerson = {
  last_name: 'Eriksson',
  first_name: 'Anna Maria',
  date_of_birth: '1990-08-12',
  sex: 2,
  nationality: 'SE',
  document_number: 'L898902C3',
  personal_number: '19900812-1234',
  issue_date: '2024-02-01',
  expiry_date: '2034-02-01',
  issuing_country: 'SE',
  portrait: null,
  ages: { 16: true, 18: true, 21: true, 65: false },
}

interface IssueOptions {
  /** Epoch milliseconds: when it is issued. It is valid for 90 days. */
  readonly now: number
  readonly person?: Partial<WalletPerson>
  readonly status?: StatusReference
  readonly valid_from?: number
  readonly valid_until?: number
  /** Another `vct` or doctype than the usual one. */
  readonly type?: string
  /** Members of the holder's key in an SD-JWT VC beside those that it needs. */
  readonly jwk?: Readonly<Record<string, string>>
}

interface Issued {
  readonly kind: CredentialKind
  readonly issuer: WalletIssuer
  /** The device's own. */
  readonly device_key: KeyObject
}

export interface SyntheticMdoc extends Issued {
  readonly format: 'MDOC'
  readonly doctype: string
  /** IssuerSignedItems by the names of their elements. */
  readonly items: ReadonlyMap<string, Tagged>
  /** COSE_Sign1 of the issuer. */
  readonly issuer_auth: CborValue
}

export interface SyntheticSdJwt extends Issued {
  readonly format: 'SD_JWT_VC'
  readonly token: string
  /** The names of the claims are the keys. */
  readonly disclosures: ReadonlyMap<string, string>
}

export type SyntheticCredential = SyntheticMdoc | SyntheticSdJwt

const day_ms = 86_400_000

function toPerson({ person = {} }: IssueOptions): WalletPerson {
  return { ...specimenPerson, ...person }
}

function time(at: number): Tagged {
  return { tag: 0, value: new Date(at).toISOString().replace(/\.\d+/, '') }
}

const days: readonly WalletClaim[] = ['date_of_birth', 'issue_date', 'expiry_date']

function toElement(claim: WalletClaim, value: string | number | Buffer): CborValue {
  if (typeof value === 'string' && days.includes(claim)) return { tag: 1004, value }
  // A PID has a list of nationalities.
  return value
}

function listElements(kind: CredentialKind, person: WalletPerson): readonly (readonly [string, CborValue])[] {
  const claims = Object.entries(kind.names).flatMap(([claim, name]) => {
    const value = person[claim as WalletClaim]
    return value === null ? [] : [[name, toElement(claim as WalletClaim, value)] as const]
  })
  const ages = kind.credential === 'PID' ? [] : Object.entries(person.ages)
  return [...claims, ...ages.map(([over, answer]) => [nameAge(Number(over)), answer] as const)]
}

/** Salts that differ between elements: invented credentials hide nothing. */
function saltOf(name: string): Buffer {
  return createHash('sha256').update(`salt of ${name}`).digest().subarray(0, 16)
}

interface SignOptions {
  readonly isDetached?: boolean
  /** Protected headers beside the algorithm. */
  readonly headers?: readonly (readonly [number, CborValue])[]
}

/** The parts of a COSE_Sign1 of ES256. */
export function signCose(
  payload: Buffer,
  unprotected: CborValue,
  key: KeyObject,
  { isDetached = false, headers = [] }: SignOptions = {},
): CborValue {
  const header = writeCbor(new Map<number, CborValue>([[1, -7], ...headers]))
  const data = writeCbor(['Signature1', header, Buffer.alloc(0), payload])
  const signature = sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' })
  return [header, unprotected, isDetached ? null : payload, signature]
}

function jwkOf(spki: Buffer): { readonly kty: string; readonly crv: string; readonly x: string; readonly y: string } {
  // An uncompressed point ends the SubjectPublicKeyInfo.
  const [x, y] = [spki.subarray(-64, -32), spki.subarray(-32)]
  return { kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url') }
}

function writeStatus({ status }: IssueOptions): readonly (readonly [string, CborValue])[] {
  if (status === undefined) return []
  const [name, entry]: readonly [string, readonly [string, CborValue]] =
    'index' in status
      ? ['status_list', ['idx', status.index]]
      : ['identifier_list', ['id', Buffer.from(status.identifier, 'base64url')]]
  const reference = new Map<string, CborValue>([entry, ['uri', status.uri]])
  return [['status', new Map([[name, reference]])]]
}

/** An mdoc (ISO/IEC 18013-5) with a new key of a device. */
export function issueMdoc(issuer: WalletIssuer, options: IssueOptions): SyntheticMdoc {
  const kind = kindOf(issuer.credential, 'MDOC')
  const { now, valid_from = now, valid_until = now + 90 * day_ms, type = kind.type } = options
  const device = generateKeys(walletAlgorithm)
  const items = listElements(kind, toPerson(options)).map(([name, value], at) => {
    const item = new Map<string, CborValue>([
      ['digestID', at],
      ['random', saltOf(name)],
      ['elementIdentifier', name],
      ['elementValue', value],
    ])
    return [name, embed(item)] as const
  })
  const digests = new Map(items.map(([, item], at) => [at, createHash('sha256').update(writeCbor(item)).digest()]))
  const point = { x: device.spki.subarray(-64, -32), y: device.spki.subarray(-32) }
  const mso = new Map<string, CborValue>([
    ['version', '1.0'],
    ['digestAlgorithm', 'SHA-256'],
    ['valueDigests', new Map([[kind.namespace ?? '', digests]])],
    ['deviceKeyInfo', new Map([['deviceKey', writeCoseKey(point)]])],
    ['docType', type],
    [
      'validityInfo',
      new Map([
        ['signed', time(now)],
        ['validFrom', time(valid_from)],
        ['validUntil', time(valid_until)],
      ]),
    ],
    ...writeStatus(options),
  ])
  const chain = new Map<number, CborValue>([[33, issuer.signer.certificate]])
  return {
    format: 'MDOC',
    kind,
    issuer,
    doctype: type,
    device_key: device.private_key,
    items: new Map(items),
    issuer_auth: signCose(writeCbor(embed(mso)), chain, issuer.signer.keys.private_key),
  }
}

function listClaims(kind: CredentialKind, person: WalletPerson): readonly (readonly [string, unknown])[] {
  return Object.entries(kind.names).flatMap(([claim, name]): (readonly [string, unknown])[] => {
    const value = person[claim as WalletClaim]
    if (value === null) return []
    if (claim === 'nationality') return [[name, [value]]]
    return [[name, Buffer.isBuffer(value) ? `data:image/jpeg;base64,${value.toString('base64')}` : value]]
  })
}

function writeDisclosure(name: string, value: unknown): string {
  return Buffer.from(JSON.stringify([saltOf(name).toString('base64url'), name, value])).toString('base64url')
}

function digestOf(disclosure: string): string {
  return createHash('sha256').update(disclosure).digest('base64url')
}

function toStatusClaim(status: StatusReference): object {
  if ('identifier' in status) throw new TypeError('an SD-JWT VC has no list of identifiers')
  return { status_list: { idx: status.index, uri: status.uri } }
}

/** An SD-JWT VC of a PID, with a new key of its holder. Ages are disclosed one by one. */
export function issueSdJwt(issuer: WalletIssuer, options: IssueOptions): SyntheticSdJwt {
  const kind = kindOf(issuer.credential, 'SD_JWT_VC')
  const { now, valid_from = now, valid_until = now + 90 * day_ms, status, type = kind.type, jwk = {} } = options
  const person = toPerson(options)
  const device = generateKeys(walletAlgorithm)
  const ages = Object.entries(person.ages).map(
    ([over, answer]) => [`age_equal_or_over.${over}`, writeDisclosure(over, answer)] as const,
  )
  const claims = listClaims(kind, person).map(([name, value]) => [name, writeDisclosure(name, value)] as const)
  const payload = {
    iss: 'https://issuer.example',
    iat: Math.floor(now / 1000),
    nbf: Math.floor(valid_from / 1000),
    exp: Math.floor(valid_until / 1000),
    vct: type,
    cnf: { jwk: { ...jwkOf(device.spki), ...jwk } },
    _sd_alg: 'sha-256',
    _sd: claims.map(([, disclosure]) => digestOf(disclosure)),
    age_equal_or_over: { _sd: ages.map(([, disclosure]) => digestOf(disclosure)) },
    ...(status === undefined ? {} : { status: toStatusClaim(status) }),
  }
  const header = { typ: 'dc+sd-jwt', x5c: [issuer.signer.certificate.toString('base64')] }
  return {
    format: 'SD_JWT_VC',
    kind,
    issuer,
    device_key: device.private_key,
    token: signJws(header, payload, issuer.signer.keys.private_key),
    disclosures: new Map([...claims, ...ages]),
  }
}
