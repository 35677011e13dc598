import { readCertificate, type StateCertificate } from '../chip/certificates.ts'
import type { RevocationList } from '../chip/revocation_list.ts'
import { readTrustFile } from '../chip/trust_files.ts'
import { readOrNull } from '../chip/unreadable_file_error.ts'
import { type CborItem, findMember } from '../encoding/cbor.ts'
import { readStrictCertificate, type WalletPurpose } from './certificate_profile.ts'
import { isCoseSigned, readCose, readInner, requireItem, requireMember } from './cose.ts'
import { isJwsSigned, readBase64, readCertificateChain, readJws } from './jws.ts'
import { isObject, type JsonObject, memberOf, refuse, requireObject, requireText } from './place.ts'
import { readKey } from './signature_algorithms.ts'
import { findWalletChain, type WalletAnchor } from './wallet_trust.ts'

/** Whether somebody who may sign lists of issuers has signed one; null: certificates alone have no signature. */
export type ListSignature = 'PASSED' | 'SIGNER_UNKNOWN' | 'NOT_SIGNED' | 'OUT_OF_TIME' | 'NOT_EVALUABLE' | null

/** What an operator's file says of whom to trust. */
export interface WalletTrustFile {
  readonly kind: 'CERTIFICATES' | 'VICAL' | 'TRUSTED_ENTITIES'
  readonly anchors: readonly WalletAnchor[]
  readonly revocation_lists: readonly RevocationList[]
  /** Entries that cannot be read. */
  readonly unreadable: number
  readonly signature: ListSignature
}

export interface TrustFileOptions {
  /** What the certificates of a file may sign that does not say so itself. */
  readonly may_sign: readonly WalletPurpose[]
  /** Those whom lists are checked against: the ones that may sign `LIST`. */
  readonly anchors: readonly WalletAnchor[]
  readonly now: number
}

const limits = { max_bytes: 8 * 1024 * 1024, max_items: 200_000, shortest: false }
const maxEntries = 5000

/** A list's own signer, and what it says of its time. */
interface Signature {
  readonly certificates: readonly Buffer[]
  readonly isSignedBy: (spki: Uint8Array) => boolean | null
  /** Epoch milliseconds; null: it does not say. */
  readonly next_at: number | null
}

function checkSignature(
  { certificates, isSignedBy, next_at }: Signature,
  { anchors, now }: TrustFileOptions,
): ListSignature {
  const chain = certificates.map(der => readStrictCertificate('x5chain', der))
  const [signer] = chain
  if (signer === undefined) return 'SIGNER_UNKNOWN'
  const isSigned = isSignedBy(signer.spki)
  if (isSigned !== true) return isSigned === null ? 'NOT_EVALUABLE' : 'NOT_SIGNED'
  const purposes = { anchored: ['LIST'], profile: 'LIST' } as const
  const found = findWalletChain(chain, purposes, { anchors, revocation_lists: [] }, { now, signed_at: null })
  if (found.status === 'EXPIRED' || found.status === 'NOT_YET_VALID') return 'OUT_OF_TIME'
  if (found.status === 'NOT_EVALUABLE') return 'NOT_EVALUABLE'
  if (found.status !== 'PASSED') return 'SIGNER_UNKNOWN'
  return next_at !== null && next_at < now ? 'OUT_OF_TIME' : 'PASSED'
}

interface Entry {
  /** Null: it cannot be read. */
  readonly certificate: StateCertificate | null
  readonly may_sign: readonly WalletPurpose[]
}

/** Entries for nothing that we verify are left out; a certificate that is there more than once is one anchor. */
function toAnchors(entries: readonly Entry[]): Pick<WalletTrustFile, 'anchors' | 'unreadable'> {
  const wanted = entries.filter(({ may_sign }) => may_sign.length > 0)
  const found = new Map<string, { certificate: StateCertificate; purposes: Set<WalletPurpose> }>()
  for (const { certificate, may_sign } of wanted) {
    if (certificate === null) continue
    const known = found.get(certificate.fingerprint) ?? { certificate, purposes: new Set() }
    for (const purpose of may_sign) known.purposes.add(purpose)
    found.set(certificate.fingerprint, known)
  }
  return {
    anchors: [...found.values()].map(({ certificate, purposes }) => ({ certificate, may_sign: [...purposes] })),
    unreadable: wanted.filter(({ certificate }) => certificate === null).length,
  }
}

const purposesOfTypes: Readonly<Record<string, WalletPurpose>> = {
  'org.iso.18013.5.1.mDL': 'MDL',
  'eu.europa.ec.eudi.pid.1': 'PID',
  'eu.europa.ec.av.1': 'AGE',
}

function readVicalEntry(place: string, item: CborItem): Entry {
  const der = requireMember(place, item, 'certificate', 'bytes')
  const types = requireMember(place, item, 'docType', 'array').map(one => requireItem(`${place}.docType`, one, 'text'))
  const purposes = types.flatMap(type => (Object.hasOwn(purposesOfTypes, type) ? [purposesOfTypes[type]] : []))
  return { certificate: readOrNull(() => readCertificate(der)), may_sign: purposes.filter(one => one !== undefined) }
}

function readDate(item: CborItem | null): number | null {
  if (item === null) return null
  const text = item.type === 'tag' && item.tag === 0 && item.value.type === 'text' ? item.value.value : ''
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw refuse('VICAL.nextUpdate', 'must be a time (tag 0)')
  return at
}

/** ISO/IEC 18013-5, annex C: a list of issuers' roots, in CBOR. @throws {UnreadableFileError} */
function readVical(bytes: Buffer, options: TrustFileOptions): WalletTrustFile {
  const cose = readCose('VICAL', readInner('VICAL', bytes, limits), 18)
  const { payload } = cose
  if (payload === null) throw refuse('VICAL[2]', 'is missing')
  const list = readInner('VICAL[2]', payload, limits)
  const infos = requireMember('VICAL', list, 'certificateInfos', 'array')
  if (infos.length > maxEntries) throw refuse('VICAL.certificateInfos', `must be at most ${maxEntries}`)
  const signature: Signature = {
    certificates: cose.certificates,
    isSignedBy: spki => isCoseSigned(cose, payload, readKey('VICAL.x5chain', spki)),
    next_at: readDate(findMember(list, 'nextUpdate')),
  }
  return {
    kind: 'VICAL',
    ...toAnchors(infos.map((one, at) => readVicalEntry(`VICAL.certificateInfos[${at}]`, one))),
    revocation_lists: [],
    signature: checkSignature(signature, options),
  }
}

/** ETSI TS 119 602, annex D, and the Commission's list of issuers of driving licences. */
const purposesOfServices: Readonly<Record<string, WalletPurpose>> = {
  'http://uri.etsi.org/19602/SvcType/PID/Issuance': 'PID',
  'http://uri.etsi.org/19602/SvcType/PID/Revocation': 'STATUS',
  'http://uri.etsi.org/19602/SvcType/mDL/Issuance': 'MDL',
  'http://uri.etsi.org/19602/SvcType/mDL/Revocation': 'STATUS',
  'http://trust.ec.europa.eu/lists/mDL/SvcType/Issuance': 'MDL',
  'http://trust.ec.europa.eu/lists/mDL/SvcType/Revocation': 'STATUS',
}

function listMembers(object: JsonObject, name: string): readonly unknown[] {
  const list = memberOf(object, name) ?? []
  if (!Array.isArray(list) || list.length > maxEntries) throw refuse(name, `must be an array of at most ${maxEntries}`)
  return list
}

function readService(value: unknown): readonly Entry[] {
  const service = requireObject(
    'ServiceInformation',
    memberOf(requireObject('TrustedEntityServices', value), 'ServiceInformation'),
  )
  const type = memberOf(service, 'ServiceTypeIdentifier')
  const purpose =
    typeof type === 'string' && Object.hasOwn(purposesOfServices, type) ? purposesOfServices[type] : undefined
  const status = memberOf(service, 'ServiceStatus')
  // The EU's own lists have no status: who is on them is trusted. Others have one that ends so.
  const isWithdrawn = typeof status === 'string' && /\/(?:withdrawn|invalid)$/i.test(status)
  if (purpose === undefined || isWithdrawn) return []
  const identity = requireObject('ServiceDigitalIdentity', memberOf(service, 'ServiceDigitalIdentity'))
  return listMembers(identity, 'X509Certificates').map(one => ({
    certificate: readOrNull(() => {
      const place = 'X509Certificates'
      return readCertificate(readBase64(place, memberOf(requireObject(place, one), 'val')))
    }),
    may_sign: [purpose],
  }))
}

function readNextUpdate(list: JsonObject): number | null {
  const information = memberOf(list, 'ListAndSchemeInformation')
  const next = isObject(information) ? memberOf(information, 'NextUpdate') : undefined
  if (next === undefined || next === null) return null
  const at = Date.parse(requireText('NextUpdate', next, 40))
  if (Number.isNaN(at)) throw refuse('NextUpdate', 'must be a time')
  return at
}

/** A list of trusted entities (ETSI TS 119 602) as a JWS. @throws {UnreadableFileError} */
function readTrustedEntities(text: string, options: TrustFileOptions): WalletTrustFile {
  const jws = readJws('LoTE', text, null)
  const list = requireObject('LoTE', memberOf(jws.payload, 'LoTE') ?? jws.payload)
  if (!Array.isArray(memberOf(list, 'TrustedEntitiesList'))) throw refuse('TrustedEntitiesList', 'is missing')
  const entries = listMembers(list, 'TrustedEntitiesList').flatMap(entity =>
    listMembers(requireObject('TrustedEntitiesList', entity), 'TrustedEntityServices').flatMap(readService),
  )
  const signature: Signature = {
    certificates: readCertificateChain(jws),
    isSignedBy: spki => isJwsSigned(jws, readKey('LoTE.header.x5c', spki)),
    next_at: readNextUpdate(list),
  }
  return {
    kind: 'TRUSTED_ENTITIES',
    ...toAnchors(entries),
    revocation_lists: [],
    signature: checkSignature(signature, options),
  }
}

/** PEM, LDIF or DER: certificates of issuers, and lists of certificates that were revoked. */
function readCertificates(bytes: Buffer, { may_sign }: TrustFileOptions): WalletTrustFile {
  const { certificates, revocation_lists, unreadable, master_lists } = readTrustFile(bytes)
  const read = toAnchors(certificates.map(certificate => ({ certificate, may_sign })))
  return {
    kind: 'CERTIFICATES',
    anchors: read.anchors,
    revocation_lists,
    unreadable: unreadable + master_lists.length,
    signature: null,
  }
}

/** A COSE_Sign1: an array of four, with its tag or without. */
function isCose(bytes: Buffer): boolean {
  return bytes[0] === 0x84 || bytes[0] === 0xd2
}

/**
 * Reads a file that says whom to trust: certificates, a VICAL, or a list of trusted entities of the EU's. It counts what it
 * can't read, and leaves the judgement of a list's signature to its caller.
 * @throws {UnreadableFileError} for a list that is none
 */
export function readWalletTrustFile(bytes: Buffer, options: TrustFileOptions): WalletTrustFile {
  if (bytes.length > limits.max_bytes) throw refuse('file', `must have at most ${limits.max_bytes} bytes`)
  if (isCose(bytes)) return readVical(bytes, options)
  const text = bytes.toString('latin1').trim()
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(text)
    ? readTrustedEntities(text, options)
    : readCertificates(bytes, options)
}
