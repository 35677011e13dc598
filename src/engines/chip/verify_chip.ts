import { createHash } from 'node:crypto'
import type { ChipCheck, ChipFindings, ChipReason, MrzReading } from '../../decision/findings.ts'
import { isChallengeAnswered } from './active_authentication.ts'
import type { StateCertificate } from './certificates.ts'
import { findChain, type TrustAnchors } from './chain.ts'
import { type ChipDetails, readDetailGroups, readKeyGroup, readPortraitGroup, readZoneGroup } from './data_groups.ts'
import { isStateOf } from './issuing_state.ts'
import type { Revocation } from './revocation.ts'
import { readSecurityObject, type SecurityObject } from './security_object.ts'
import { isContentSignedBy, isOfSigner, readSigningTime } from './signed_data.ts'
import { readOrNull } from './unreadable_file_error.ts'

/** The files of a chip that are looked at, by the names that they have in the API. */
export type ChipFileName = 'dg1' | 'dg2' | 'dg11' | 'dg12' | 'dg14' | 'dg15'

export interface ChipFiles {
  readonly sod: Buffer
  readonly data_groups: Readonly<Partial<Record<ChipFileName, Buffer>>>
  /** The chip's answer to our challenge; null: none. */
  readonly answer: { readonly challenge: Buffer; readonly response: Buffer } | null
}

function passed(name: ChipCheck['name']): ChipCheck {
  return { name, status: 'PASSED', reason: null }
}

function failed(name: ChipCheck['name'], reason: ChipReason): ChipCheck {
  return { name, status: 'FAILED', reason }
}

function undetermined(name: ChipCheck['name'], reason: ChipReason): ChipCheck {
  return { name, status: 'UNDETERMINED', reason }
}

/** The files that the state's digests do not match. */
export function listChangedFiles({ digest, data_groups }: SecurityObject, files: ChipFiles): ChipFileName[] {
  const names = Object.keys(files.data_groups) as ChipFileName[]
  return names.filter(name => {
    const file = files.data_groups[name]
    const expected = data_groups.get(Number(name.slice(2)))
    if (file === undefined || digest === null) return false
    return expected === undefined || !createHash(digest).update(file).digest().equals(expected)
  })
}

function checkFiles(object: SecurityObject, files: ChipFiles): ChipCheck {
  if (object.digest === null) return undetermined('data_groups', 'ALGORITHM_NOT_ACCEPTED')
  const changed = listChangedFiles(object, files)
  return changed.length > 0 ? failed('data_groups', 'DIGEST_DIFFERS') : passed('data_groups')
}

/** The document signer, who is in EF.SOD or was imported. */
function findSigner({ signed }: SecurityObject, anchors: TrustAnchors): StateCertificate | null {
  return [...signed.certificates, ...anchors.signers].find(one => isOfSigner(signed.signer, one)) ?? null
}

function checkSignature({ signed }: SecurityObject, signer: StateCertificate | null): ChipCheck {
  if (signer === null) return undetermined('signature', 'SIGNER_UNKNOWN')
  const isSigned = isContentSignedBy(signed, signer)
  if (isSigned === null) return undetermined('signature', 'ALGORITHM_NOT_ACCEPTED')
  return isSigned ? passed('signature') : failed('signature', 'NOT_SIGNED')
}

/** ICAO's purposes are those of signers of lists and of seals: nobody of them signs chips. */
function isDocumentSigner({ purposes }: StateCertificate): boolean {
  return !purposes.some(purpose => purpose.startsWith('2.23.136.1.1.'))
}

interface Times {
  readonly signed_at: number | null
  readonly now: number
}

const reasons = {
  UNKNOWN: 'NO_TRUST_ANCHOR',
  NOT_EVALUABLE: 'ALGORITHM_NOT_ACCEPTED',
  OUT_OF_TIME: 'OUT_OF_TIME',
} as const

function toRevocation(revocation: Revocation): ChipCheck {
  if (revocation === 'PASSED') return passed('revocation')
  return revocation === 'REVOKED'
    ? failed('revocation', 'REVOKED')
    : undetermined('revocation', 'ALGORITHM_NOT_ACCEPTED')
}

/** Issuer and revocation. */
function checkIssuer(
  signer: StateCertificate,
  anchors: TrustAnchors,
  zone: MrzReading | null,
  times: Times,
): { checks: ChipCheck[]; root: StateCertificate | null } {
  const result = findChain(signer, anchors, times)
  if (result.status !== 'PASSED') return { checks: [undetermined('issuer', reasons[result.status])], root: null }
  if (!isDocumentSigner(signer)) return { checks: [failed('issuer', 'NOT_SIGNED')], root: null }
  const root = result.chain.at(-1) ?? null
  const isOfState = root !== null && isStateOf(root.country, zone?.issuing_state ?? null)
  return {
    checks: [isOfState ? passed('issuer') : undetermined('issuer', 'ANOTHER_STATE'), toRevocation(result.revocation)],
    root,
  }
}

/**
 * A chip whose state signed a key for active authentication must answer with it: a copy would leave the answer out. Null:
 * the state signed none.
 */
function checkCopy(object: SecurityObject, { data_groups, answer }: ChipFiles): ChipCheck | null {
  if (!object.data_groups.has(15)) return null
  const { dg15 } = data_groups
  const key = dg15 === undefined ? null : readOrNull(() => readKeyGroup(dg15))
  if (key === null || answer === null) return undetermined('active_authentication', 'NO_RESPONSE')
  const isAnswered = isChallengeAnswered(key, answer.challenge, answer.response)
  if (isAnswered === null) return undetermined('active_authentication', 'ALGORITHM_NOT_ACCEPTED')
  return isAnswered ? passed('active_authentication') : failed('active_authentication', 'NOT_SIGNED')
}

const noDetails: ChipDetails = { last_name: null, first_name: null, place_of_birth: null, issue_date: null }

function readFiles({ dg1, dg2, dg11, dg12 }: ChipFiles['data_groups']): {
  zone: MrzReading | null
  details: ChipDetails
  hasPortrait: boolean
} {
  return {
    zone: dg1 === undefined ? null : readOrNull(() => readZoneGroup(dg1)),
    details: readOrNull(() => readDetailGroups(dg11 ?? null, dg12 ?? null)) ?? noDetails,
    hasPortrait: dg2 !== undefined && readOrNull(() => readPortraitGroup(dg2)) !== null,
  }
}

const unreadable: ChipFindings = {
  checks: [undetermined('files', 'UNREADABLE')],
  mrz: null,
  details: noDetails,
  signed_at: null,
  signer: null,
  root: null,
}

/** Proves what a reader handed over: pure but for OpenSSL, and bounded by the size of the files. */
export function verifyChip(files: ChipFiles, anchors: TrustAnchors, now: number): ChipFindings {
  const object = readOrNull(() => readSecurityObject(files.sod))
  if (object === null) return unreadable
  const signedAt = readOrNull(() => ({ time: readSigningTime(object.signed) }))
  const { zone, details, hasPortrait } = readFiles(files.data_groups)
  const isReadable = signedAt !== null && zone !== null && hasPortrait
  const signer = findSigner(object, anchors)
  const signature = readOrNull(() => checkSignature(object, signer)) ?? undetermined('signature', 'UNREADABLE')
  const times = { signed_at: signedAt?.time ?? null, now }
  // Who issued a certificate that signed nothing says nothing of the chip.
  const issuer =
    signer === null || signature.status !== 'PASSED'
      ? { checks: [], root: null }
      : checkIssuer(signer, anchors, zone, times)
  const copy = checkCopy(object, files)
  return {
    checks: [
      isReadable ? passed('files') : undetermined('files', 'UNREADABLE'),
      checkFiles(object, files),
      signature,
      ...issuer.checks,
      ...(copy === null ? [] : [copy]),
    ],
    mrz: zone,
    details,
    signed_at: times.signed_at === null ? null : new Date(times.signed_at).toISOString(),
    signer: signer?.fingerprint ?? null,
    root: issuer.root?.fingerprint ?? null,
  }
}
