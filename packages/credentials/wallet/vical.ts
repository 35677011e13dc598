import { readCertificate } from '../chip/certificates.ts'
import { readOrNull } from '../chip/unreadable_file_error.ts'
import { type CborItem, findMember } from '../encoding/cbor.ts'
import type { WalletPurpose } from './certificate_profile.ts'
import { isCoseSigned, readCose, readInner, requireItem, requireMember } from './cose.ts'
import {
  checkListSignature,
  type ListEntry,
  listLimits,
  maxEntries,
  type Signature,
  type TrustFileOptions,
  toAnchors,
  type WalletTrustFile,
} from './issuer_list.ts'
import { refuse } from './place.ts'
import { readKey } from './signature_algorithms.ts'

const purposesOfTypes: Readonly<Record<string, WalletPurpose>> = {
  'org.iso.18013.5.1.mDL': 'MDL',
  'eu.europa.ec.eudi.pid.1': 'PID',
  'eu.europa.ec.av.1': 'AGE',
}

function readVicalEntry(place: string, item: CborItem): ListEntry {
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
export function readVical(bytes: Buffer, options: TrustFileOptions): WalletTrustFile {
  const cose = readCose('VICAL', readInner('VICAL', bytes, listLimits), 18)
  const { payload } = cose
  if (payload === null) throw refuse('VICAL[2]', 'is missing')
  const list = readInner('VICAL[2]', payload, listLimits)
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
    signature: checkListSignature(signature, options),
  }
}
