import type { WalletCheck } from '@attestor/rules'
import { embed, writeCbor } from '../encoding/cbor_writer.ts'
import { readStrictCertificate } from './certificate_profile.ts'
import { type Disclosed, readClaims, toSignedValue } from './claims.ts'
import { isCoseAuthenticated, isCoseSigned } from './cose.ts'
import { type CredentialKind, listKinds } from './credential_kinds.ts'
import { deriveMacKey } from './device_key.ts'
import { type MdocDocument, readDeviceResponse } from './mdoc.ts'
import { listChangedItems, type MobileSecurityObject, readSecurityObject } from './mobile_security_object.ts'
import { readBase64url, refuse } from './place.ts'
import type { Proof } from './proof.ts'
import type { WalletRequest } from './request_types.ts'
import { readKey } from './signature_algorithms.ts'
import type { WalletPresentation } from './wallet_answer.ts'
import { checkSigner, checkValidity, failed, passed, toCheck, undetermined } from './wallet_checks.ts'
import type { WalletTrust } from './wallet_trust.ts'

/** Writes the bytes that the device signs, or authenticates with a MAC (ISO/IEC 18013-5, 9.1.3.4). */
function writeDeviceAuthentication({ doctype, device_namespaces }: MdocDocument, transcript: Buffer): Buffer {
  const parts = ['DeviceAuthentication', { written: transcript }, doctype, { written: device_namespaces }]
  return writeCbor(embed(parts))
}

function checkDevice(
  document: MdocDocument,
  { device_key }: MobileSecurityObject,
  request: WalletRequest,
  transcript: Buffer,
): WalletCheck {
  const { type, object } = document.device_auth
  if (object.payload !== null) throw refuse(object.place, 'must have a detached payload')
  if (device_key === null) return undetermined('binding', 'ALGORITHM_NOT_ACCEPTED')
  const payload = writeDeviceAuthentication(document, transcript)
  if (type === 'SIGNATURE') return toCheck('binding', isCoseSigned(object, payload, device_key))
  const key = deriveMacKey(device_key, request.key, transcript)
  return toCheck('binding', key === null ? null : isCoseAuthenticated(object, payload, key))
}

function checkSignature(document: MdocDocument, object: MobileSecurityObject, spki: Uint8Array | null): WalletCheck {
  const { issuer_auth, doctype } = document
  if (spki === null) return undetermined('signature', 'SIGNER_UNKNOWN')
  const payload = issuer_auth.payload ?? Buffer.alloc(0)
  const check = toCheck(
    'signature',
    isCoseSigned(issuer_auth, payload, readKey(`${issuer_auth.place}.x5chain[0]`, spki)),
  )
  if (check.status !== 'PASSED') return check
  if (object.digest === null) return undetermined('signature', 'ALGORITHM_NOT_ACCEPTED')
  const isChanged = object.doctype !== doctype || listChangedItems(document, object).length > 0
  return isChanged ? failed('signature', 'DIGEST_DIFFERS') : check
}

/** Reads only the claims that match the issuer's digests. */
function readDisclosed(
  document: MdocDocument,
  object: MobileSecurityObject,
  kind: CredentialKind,
  request: WalletRequest,
): Disclosed {
  const changed = new Set(listChangedItems(document, object))
  const items = document.items.filter(one => one.namespace === kind.namespace && !changed.has(one))
  const values = new Map(items.map(({ identifier, value }) => [identifier, value]))
  return readClaims(kind, request.query, name => {
    const value = values.get(name)
    return value === undefined ? undefined : toSignedValue(value)
  })
}

/** Finds the document that answers, the preferred one first; null: it is of another kind than the request. */
function findDocument(
  documents: readonly MdocDocument[],
  { query }: WalletRequest,
  credential: string | null,
): { document: MdocDocument; kind: CredentialKind } | null {
  const kinds = listKinds(query).filter(({ format, id }) => format === 'MDOC' && (credential ?? id) === id)
  for (const kind of kinds) {
    const document = documents.find(({ doctype }) => doctype === kind.type)
    if (document !== undefined) return { document, kind }
  }
  return null
}

/** @throws {UnreadableFileError} */
export function verifyMdoc(
  request: WalletRequest,
  { presentation, credential }: WalletPresentation,
  { transcript, trust, now }: { readonly transcript: Buffer; readonly trust: WalletTrust; readonly now: number },
): Proof {
  const documents = readDeviceResponse(readBase64url('DeviceResponse', presentation))
  const found = findDocument(documents, request, credential)
  if (found === null) throw refuse('documents', 'must have a document of a type that was asked')
  const { document, kind } = found
  const object = readSecurityObject(document.issuer_auth)
  const certificates = document.issuer_auth.certificates.map((der, at) =>
    readStrictCertificate(`${document.issuer_auth.place}.x5chain[${at}]`, der),
  )
  const disclosed = readDisclosed(document, object, kind, request)
  const signature = checkSignature(document, object, certificates[0]?.spki ?? null)
  const checks = [passed('answer'), checkDevice(document, object, request, transcript), signature]
  const base = { format: kind.format, kind, credential_type: document.doctype, disclosed, status: object.status }
  const signer = certificates[0]?.fingerprint ?? null
  if (signature.status !== 'PASSED') return { ...base, checks, signer, root: null }
  const country = disclosed.claims.issuing_country
  const issued = checkSigner(
    { certificates, signed_at: object.signed_at, status: object.status, country },
    kind,
    trust,
    now,
  )
  const [issuer, ...revocation] = issued.checks
  const validity = checkValidity({ from: object.valid_from, until: object.valid_until }, now)
  return {
    ...base,
    checks: [...checks, ...(issuer === undefined ? [] : [issuer]), validity, ...revocation],
    signer,
    root: issued.root?.fingerprint ?? null,
  }
}
