import { createHash } from 'node:crypto'
import type { ChipCheck, ChipFindings, ChipLicence, ChipReason, MrzReading } from '@attestor/rules'
import { isChallengeAnswered } from './active_authentication.ts'
import type { StateCertificate } from './certificates.ts'
import { findChain, type TrustAnchors } from './chain.ts'
import { type ChipDetails, readDetailGroups, readKeyGroup, readPortraitGroup, readZoneGroup } from './data_groups.ts'
import { isStateOf } from './issuing_state.ts'
import { readLicenceGroup } from './licence_groups.ts'
import type { Revocation } from './revocation.ts'
import { readSecurityObject, type SecurityObject } from './security_object.ts'
import { listDigests } from './signatures.ts'
import { type ContentSigner, isContentSignedBy, isOfSigner, listCandidates, readSigningTime } from './signed_data.ts'
import { readOrNull } from './unreadable_file_error.ts'

/** The files of a chip that are used, by the names that they have in the API. */
export type ChipFileName = 'dg1' | 'dg2' | 'dg6' | 'dg11' | 'dg12' | 'dg13' | 'dg14' | 'dg15'

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

/** Any digest of the length will do, as some states name another one than they used. */
function isDigestOf(file: Buffer, expected: Buffer, named: string | null): boolean {
  const names = new Set([...(named === null ? [] : [named]), ...listDigests(expected.length)])
  return [...names].some(name => createHash(name).update(file).digest().equals(expected))
}

/** The files that the state's digests do not match. */
export function listChangedFiles({ digest, data_groups }: SecurityObject, files: ChipFiles): ChipFileName[] {
  const names = Object.keys(files.data_groups) as ChipFileName[]
  return names.filter(name => {
    const file = files.data_groups[name]
    const expected = data_groups.get(Number(name.slice(2)))
    if (file === undefined) return false
    if (expected === undefined) return digest !== null
    // An algorithm that we do not accept proves nothing about the file.
    const isKnown = digest !== null && listDigests(expected.length).includes(digest)
    return !isDigestOf(file, expected, digest) && isKnown
  })
}

function isEveryDigestKnown({ digest, data_groups }: SecurityObject, files: ChipFiles): boolean {
  return Object.entries(files.data_groups).every(([name, file]) => {
    const expected = data_groups.get(Number(name.slice(2)))
    if (expected === undefined) return digest !== null
    return (digest !== null && listDigests(expected.length).includes(digest)) || isDigestOf(file, expected, digest)
  })
}

function checkFiles(object: SecurityObject, files: ChipFiles): ChipCheck {
  if (listChangedFiles(object, files).length > 0) return failed('data_groups', 'DIGEST_DIFFERS')
  return isEveryDigestKnown(object, files)
    ? passed('data_groups')
    : undetermined('data_groups', 'ALGORITHM_NOT_ACCEPTED')
}

interface SignatureOf {
  readonly check: ChipCheck
  /** The certificate whose key signed; if none did, the named one. */
  readonly certificate: StateCertificate | null
}

/** Finds the document signer, in EF.SOD or among the imported ones, by whose key made the signature. */
function checkSignature({ signed }: SecurityObject, signer: ContentSigner, anchors: TrustAnchors): SignatureOf {
  const candidates = listCandidates(signer, signed, anchors.signers)
  const named = candidates.find(one => isOfSigner(signer, one)) ?? null
  let isOpen = false
  for (const certificate of candidates) {
    const isSigned = readOrNull(() => isContentSignedBy(signed, signer, certificate))
    if (isSigned === true) return { check: passed('signature'), certificate }
    isOpen ||= isSigned === null
  }
  if (named === null) return { check: undetermined('signature', 'SIGNER_UNKNOWN'), certificate: null }
  const check = isOpen ? undetermined('signature', 'ALGORITHM_NOT_ACCEPTED') : failed('signature', 'NOT_SIGNED')
  return { check, certificate: named }
}

/** Purposes that ICAO gives to signers of lists (9303 part 12, table 5): none of them signs chips. */
const otherPurposes = ['2.23.136.1.1.3', '2.23.136.1.1.8']

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
  state: string | null,
  times: Times,
): { checks: ChipCheck[]; root: StateCertificate | null } {
  const result = findChain(signer, anchors, times)
  if (result.status !== 'PASSED') return { checks: [undetermined('issuer', reasons[result.status])], root: null }
  if (signer.purposes.some(purpose => otherPurposes.includes(purpose)))
    return { checks: [failed('issuer', 'NOT_SIGNED')], root: null }
  const root = result.chain.at(-1) ?? null
  const isOfState = root !== null && isStateOf(root.country, state)
  return {
    checks: [isOfState ? passed('issuer') : undetermined('issuer', 'ANOTHER_STATE'), toRevocation(result.revocation)],
    root,
  }
}

/**
 * A chip whose state signed a key for active authentication must answer with it: a copy would leave the answer out. Null:
 * the state signed none.
 */
function checkCopy(object: SecurityObject, { data_groups, answer }: ChipFiles, isLicence: boolean): ChipCheck | null {
  // The chip of a passport may have anything in DG13.
  if (!object.data_groups.has(isLicence ? 13 : 15)) return null
  const file = isLicence ? data_groups.dg13 : data_groups.dg15
  const key = file === undefined ? null : readOrNull(() => readKeyGroup(file))
  if (key === null || answer === null) return undetermined('active_authentication', 'NO_RESPONSE')
  const isAnswered = isChallengeAnswered(key, answer.challenge, answer.response)
  if (isAnswered === null) return undetermined('active_authentication', 'ALGORITHM_NOT_ACCEPTED')
  return isAnswered ? passed('active_authentication') : failed('active_authentication', 'NOT_SIGNED')
}

function pickDetails({ last_name, first_name, place_of_birth, issue_date }: ChipDetails): ChipDetails {
  return { last_name, first_name, place_of_birth, issue_date }
}

const noDetails: ChipDetails = { last_name: null, first_name: null, place_of_birth: null, issue_date: null }

/** The contents of the chip: a travel document's zone and details, or a licence, whose details are in DG1. */
interface ChipContent {
  readonly zone: MrzReading | null
  readonly licence: ChipLicence | null
  readonly details: ChipDetails
  readonly hasPortrait: boolean
}

function readFiles(data_groups: ChipFiles['data_groups']): ChipContent {
  const { dg1, dg11, dg12 } = data_groups
  const licence = dg1 === undefined ? null : readOrNull(() => readLicenceGroup(dg1))
  const portrait = findPortraitFile(data_groups)
  return {
    zone: dg1 === undefined ? null : readOrNull(() => readZoneGroup(dg1)),
    licence,
    details: licence ?? readOrNull(() => readDetailGroups(dg11 ?? null, dg12 ?? null)) ?? noDetails,
    hasPortrait: portrait !== null && readOrNull(() => readPortraitGroup(portrait)) !== null,
  }
}

/** The file of the portrait: DG2, and DG6 of a licence. */
export function findPortraitFile({ dg1, dg2, dg6 }: ChipFiles['data_groups']): Buffer | null {
  const isLicence = dg1 !== undefined && readOrNull(() => readLicenceGroup(dg1)) !== null
  return (isLicence ? dg6 : dg2) ?? null
}

const unreadable: ChipFindings = {
  checks: [undetermined('files', 'UNREADABLE')],
  mrz: null,
  licence: null,
  details: noDetails,
  signed_at: null,
  signer: null,
  root: null,
}

/** The checks that one signer passes or fails. */
interface Proof {
  readonly checks: readonly ChipCheck[]
  readonly signed_at: number | null
  readonly signer: StateCertificate | null
  readonly root: StateCertificate | null
}

function prove(
  object: SecurityObject,
  signer: ContentSigner,
  anchors: TrustAnchors,
  { state, now }: { readonly state: string | null; readonly now: number },
): Proof {
  const { check, certificate } = checkSignature(object, signer, anchors)
  const signed_at = readSigningTime(signer)
  // The issuer of an unused certificate proves nothing about the chip.
  if (certificate === null || check.status !== 'PASSED')
    return { checks: [check], signed_at, signer: certificate, root: null }
  const { checks, root } = checkIssuer(certificate, anchors, state, { signed_at, now })
  return { checks: [check, ...checks], signed_at, signer: certificate, root }
}

/**
 * Ranks a signer's proof: one of several signers is enough; a signature that a state revoked counts more than one that
 * cannot be judged.
 */
function rankProof({ checks }: Proof): number {
  if (checks.every(({ status }) => status === 'PASSED')) return 3
  if (checks.some(({ reason }) => reason === 'REVOKED')) return 2
  return checks.some(({ status }) => status === 'FAILED') ? 0 : 1
}

/** Verifies the files that a reader sent: pure except for OpenSSL, and bounded by the size of the files. */
export function verifyChip(files: ChipFiles, anchors: TrustAnchors, now: number): ChipFindings {
  const object = readOrNull(() => readSecurityObject(files.sod))
  if (object === null) return unreadable
  const { zone, licence, details, hasPortrait } = readFiles(files.data_groups)
  const state = zone?.issuing_state ?? licence?.issuing_state ?? null
  const proofs = object.signed.signers.map(signer => prove(object, signer, anchors, { state, now }))
  const best = proofs.reduce((one, other) => (rankProof(other) > rankProof(one) ? other : one))
  const copy = checkCopy(object, files, licence !== null)
  const isRead = (zone !== null || licence !== null) && hasPortrait
  return {
    checks: [
      isRead ? passed('files') : undetermined('files', 'UNREADABLE'),
      checkFiles(object, files),
      ...best.checks,
      ...(copy === null ? [] : [copy]),
    ],
    mrz: zone,
    licence,
    details: pickDetails(details),
    signed_at: best.signed_at === null ? null : new Date(best.signed_at).toISOString(),
    signer: best.signer?.fingerprint ?? null,
    root: best.root?.fingerprint ?? null,
  }
}
