import { deflateSync } from 'node:zlib'
import { type CborValue, writeCbor } from '../encoding/cbor_writer.ts'
import { signJws } from '../wallet/jws.ts'
import type { Authority } from './state.ts'
import { signCose } from './wallet_credential.ts'

interface StatusListOptions {
  readonly uri: string
  /** The statuses of entries that are not valid, by their index: 1 is revoked, 2 suspended. */
  readonly statuses: Readonly<Record<number, number>>
  /** Epoch milliseconds: when it is issued. It ends a day later. */
  readonly now: number
  readonly entries?: number
  readonly ttl_s?: number
}

/** Two bits an entry, the first one lowest. */
function writeList({ statuses, entries = 1024 }: StatusListOptions): Buffer {
  const list = Buffer.alloc(Math.ceil(entries / 4))
  for (const [at, status] of Object.entries(statuses)) {
    const index = Number(at)
    list[index >> 2] = (list[index >> 2] ?? 0) | (status << ((index & 3) * 2))
  }
  return deflateSync(list)
}

/** A token of draft-ietf-oauth-status-list, signed by an issuer's signer. */
export function issueStatusToken(
  { certificate, keys }: Authority,
  options: StatusListOptions,
  format: 'JWT' | 'CWT' = 'JWT',
): Buffer {
  const { uri, now, ttl_s = 3600 } = options
  const [iat, exp] = [Math.floor(now / 1000), Math.floor(now / 1000) + 86_400]
  const list = writeList(options)
  if (format === 'JWT') {
    const header = { typ: 'statuslist+jwt', x5c: [certificate.toString('base64')] }
    const payload = { sub: uri, iat, exp, ttl: ttl_s, status_list: { bits: 2, lst: list.toString('base64url') } }
    return Buffer.from(signJws(header, payload, keys.private_key))
  }
  const content = new Map<string, CborValue>([
    ['bits', 2],
    ['lst', list],
  ])
  return signCwt({ certificate, keys }, [[65533, content]], 'application/statuslist+cwt', { uri, iat, exp, ttl_s })
}

function signCwt(
  { certificate, keys }: Pick<Authority, 'certificate' | 'keys'>,
  claims: readonly (readonly [number, CborValue])[],
  type: string,
  {
    uri,
    iat,
    exp,
    ttl_s,
  }: { readonly uri: string; readonly iat: number; readonly exp: number; readonly ttl_s: number },
): Buffer {
  const payload = new Map<number, CborValue>([[2, uri], [6, iat], [4, exp], [65534, ttl_s], ...claims])
  const headers: readonly (readonly [number, CborValue])[] = [[16, type]]
  const parts = signCose(writeCbor(payload), new Map([[33, certificate]]), keys.private_key, { headers })
  return writeCbor({ tag: 18, value: parts })
}

/** Issues a list of the identifiers, in base64url, of revoked credentials (ISO/IEC 18013-5:2025, 12.3.6.4). */
export function issueIdentifierList(
  signer: Authority,
  uri: string,
  identifiers: readonly string[],
  now: number,
): Buffer {
  const entries = new Map(identifiers.map(one => [Buffer.from(one, 'base64url'), new Map()] as const))
  const [iat, exp] = [Math.floor(now / 1000), Math.floor(now / 1000) + 86_400]
  const content = new Map<string, CborValue>([['identifiers', entries]])
  return signCwt(signer, [[65530, content]], 'application/identifierlist+cwt', { uri, iat, exp, ttl_s: 3600 })
}

/** A root of an issuer's, and the types of documents that it may vouch for. */
interface ListedRoot {
  readonly certificate: Buffer
  readonly types: readonly string[]
}

function time(at: number): CborValue {
  return { tag: 0, value: new Date(at).toISOString().replace(/\.\d+/, '') }
}

/** A list of roots (ISO/IEC 18013-5, annex C). */
export function issueVical(
  { certificate, keys }: Authority,
  roots: readonly ListedRoot[],
  { now, next_at = now + 30 * 86_400_000 }: { readonly now: number; readonly next_at?: number },
): Buffer {
  const infos = roots.map(
    root =>
      new Map<string, CborValue>([
        ['certificate', root.certificate],
        ['serialNumber', { tag: 2, value: Buffer.from([1]) }],
        ['ski', Buffer.alloc(20)],
        ['docType', root.types],
      ]),
  )
  const list = new Map<string, CborValue>([
    ['version', '1.0'],
    ['vicalProvider', 'Utopia'],
    ['date', time(now)],
    ['nextUpdate', time(next_at)],
    ['certificateInfos', infos],
  ])
  return writeCbor(signCose(writeCbor(list), new Map([[33, certificate]]), keys.private_key))
}

/** A list of trusted entities (ETSI TS 119 602), each with one service. */
export function issueTrustedEntities(
  { certificate, keys }: Authority,
  services: readonly { readonly certificate: Buffer; readonly type: string; readonly status?: string }[],
  { next_at }: { readonly next_at: number },
): Buffer {
  const entities = services.map(service => ({
    TrustedEntityInformation: { TEName: [{ lang: 'en', value: 'Utopia' }] },
    TrustedEntityServices: [
      {
        ServiceInformation: {
          ServiceTypeIdentifier: service.type,
          ...(service.status === undefined ? {} : { ServiceStatus: service.status }),
          ServiceDigitalIdentity: { X509Certificates: [{ val: service.certificate.toString('base64') }] },
        },
      },
    ],
  }))
  const list = {
    ListAndSchemeInformation: {
      LoTEType: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList',
      NextUpdate: new Date(next_at).toISOString(),
    },
    TrustedEntitiesList: entities,
  }
  return Buffer.from(signJws({ x5c: [certificate.toString('base64')] }, { LoTE: list }, keys.private_key))
}
