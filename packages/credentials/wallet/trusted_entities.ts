import { readCertificate } from '../chip/certificates.ts'
import { readOrNull } from '../chip/unreadable_file_error.ts'
import type { WalletPurpose } from './certificate_profile.ts'
import {
  checkListSignature,
  type ListEntry,
  maxEntries,
  type Signature,
  type TrustFileOptions,
  toAnchors,
  type WalletTrustFile,
} from './issuer_list.ts'
import { isJwsSigned, readBase64, readCertificateChain, readJws } from './jws.ts'
import { isObject, type JsonObject, memberOf, refuse, requireObject, requireText } from './place.ts'
import { readKey } from './signature_algorithms.ts'

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

function readService(value: unknown): readonly ListEntry[] {
  const service = requireObject(
    'ServiceInformation',
    memberOf(requireObject('TrustedEntityServices', value), 'ServiceInformation'),
  )
  const type = memberOf(service, 'ServiceTypeIdentifier')
  const purpose =
    typeof type === 'string' && Object.hasOwn(purposesOfServices, type) ? purposesOfServices[type] : undefined
  const status = memberOf(service, 'ServiceStatus')
  // The EU's own lists have no status: everybody on them is trusted. Others have a status that ends so.
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
export function readTrustedEntities(text: string, options: TrustFileOptions): WalletTrustFile {
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
    signature: checkListSignature(signature, options),
  }
}
