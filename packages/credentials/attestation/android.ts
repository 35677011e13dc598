import { timingSafeEqual } from 'node:crypto'
import { type DeviceCertificate, isP256, readDeviceCertificate } from './certificates.ts'
import { AttestationError } from './error.ts'
import {
  type AndroidApp,
  type KeyDescription,
  type RootOfTrust,
  readKeyDescription,
  type SecurityLevel,
  securityLevels,
} from './key_description.ts'
import type { RevocationStatus } from './revocation_status.ts'
import type { AttestationRoots } from './roots.ts'

/** The facts that a chain of Android's key attestation proves. */
export interface AndroidAttestation {
  /**
   * The place of the key, and the source of the statement. `SOFTWARE`: an emulator, or a device without secure
   * hardware. It proves nothing.
   */
  readonly level: SecurityLevel
  /** Null if only software states it, or nothing does. */
  readonly root_of_trust: RootOfTrust | null
  /** Null where Android did not name it. */
  readonly app: AndroidApp | null
  readonly os_version: string | null
  readonly os_patch_level: string | null
  /** SubjectPublicKeyInfo of the attested key. */
  readonly spki: Buffer
  /** Whether it may sign captures: on P-256, made in the hardware, to sign. */
  readonly signs: boolean
}

const extensionId = '2b06010401d679020111'

/** Google's longest has five. */
const maxCertificates = 8

/** The attribute O of a name, in DER. */
function organisation(name: string): Buffer {
  return Buffer.concat([Buffer.from('060355040a0c', 'hex'), Buffer.from([name.length]), Buffer.from(name)])
}

/** Organisations of certificates that a device is sent for its secure parts, by the level that these have. */
const provisionedLevels: readonly (readonly [Buffer, SecurityLevel])[] = [
  [organisation('TEE'), 'TRUSTED_ENVIRONMENT'],
  [organisation('StrongBox'), 'STRONG_BOX'],
]

function isFromFactory(chain: readonly DeviceCertificate[]): boolean {
  return chain.length <= 4
}

/** Each is signed by the next, and only the first has the extension: the holder of an attested key could sign more below it. */
function requireChain(chain: readonly DeviceCertificate[]): DeviceCertificate {
  chain.slice(1).forEach((issuer, at) => {
    // Some makers' certificates of the factory, which sign attested keys, are no authorities by their constraints.
    const isOfDevice = at === 0 && isFromFactory(chain)
    if (!issuer.is_authority && !isOfDevice) throw new AttestationError('one of its certificates may not issue others')
    if (chain[at]?.isIssuedBy(issuer) !== true) throw new AttestationError('its chain is broken')
    if (issuer.extensions.has(extensionId)) throw new AttestationError('an attested key issued its certificate')
  })
  const last = chain.at(-1)
  if (last === undefined || chain.length < 2) throw new AttestationError('must be a chain of certificates')
  return last
}

/** A root's certificate was issued several times for the same key: only the key is trusted. */
function isRootedIn(last: DeviceCertificate, roots: readonly DeviceCertificate[]): boolean {
  return roots.some(root => last.spki.equals(root.spki) || last.isIssuedBy(root))
}

/**
 * The leaf's times are the device's own, and roots are trusted by their keys. Certificates of the factory cannot be
 * replaced: Google has them count after their end. Others are short-lived, and sent to the device again and again.
 */
function requireTimes(chain: readonly DeviceCertificate[], now: number): void {
  const inner = chain.slice(1, -1)
  const isReplaced = !isFromFactory(chain)
  for (const { not_before, not_after } of inner) {
    if (now < not_before) throw new AttestationError('one of its certificates is not valid yet')
    if (isReplaced && now > not_after) throw new AttestationError('one of its certificates has expired')
  }
}

/** A key in hardware that software attests is worth no more than one in software. */
function findLevel({ level, key_level }: KeyDescription): SecurityLevel {
  const lower = Math.min(securityLevels.indexOf(level), securityLevels.indexOf(key_level))
  return securityLevels[lower] ?? 'SOFTWARE'
}

function requireLevel(chain: readonly DeviceCertificate[], level: SecurityLevel): void {
  const issuer = isFromFactory(chain) ? undefined : chain[1]?.subject
  const named = provisionedLevels.find(([name]) => issuer?.includes(name) === true)
  if (named !== undefined && named[1] !== level) throw new AttestationError('its level is not that of its issuer')
}

function requireTrusted(chain: readonly DeviceCertificate[], level: SecurityLevel, roots: AttestationRoots): void {
  const last = requireChain(chain)
  if (isRootedIn(last, roots.google_hardware)) return
  if (!isRootedIn(last, roots.google_software)) throw new AttestationError('its root is not one of Google’s')
  // The keys of these roots are public.
  if (level !== 'SOFTWARE') throw new AttestationError('a root for software attests hardware')
}

function requireChallenge(given: Buffer, expected: Uint8Array): void {
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new AttestationError('is of another challenge')
}

/**
 * Verifies Android's key attestation: the leaf first. @throws {AttestationError} @throws {UnreadableFileError} for
 * bytes that are no certificate, or no description of a key
 */
export function verifyAndroid(
  certificates: readonly Uint8Array[],
  challenge: Uint8Array,
  { roots, revoked, now }: { roots: AttestationRoots; revoked: RevocationStatus | null; now: number },
): AndroidAttestation {
  if (certificates.length > maxCertificates) throw new AttestationError('has too many certificates')
  const chain = certificates.map(readDeviceCertificate)
  const [leaf] = chain
  const extension = leaf?.extensions.get(extensionId)
  if (leaf === undefined || extension === undefined) throw new AttestationError('the first certificate attests no key')
  const description = readKeyDescription(extension)
  const level = findLevel(description)
  requireTrusted(chain, level, roots)
  requireTimes(chain, now)
  if (revoked !== null && chain.some(({ serial }) => revoked.has(serial)))
    throw new AttestationError('one of its certificates is revoked')
  requireLevel(chain, level)
  requireChallenge(description.challenge, challenge)
  const { hardware, software } = description
  const isHardware = level !== 'SOFTWARE'
  if (isHardware && hardware.origin !== 0) throw new AttestationError('the key was not made in the hardware')
  return {
    level,
    root_of_trust: isHardware ? hardware.root_of_trust : null,
    app: software.app ?? hardware.app,
    os_version: isHardware ? hardware.os_version : null,
    os_patch_level: isHardware ? hardware.os_patch_level : null,
    spki: leaf.spki,
    signs: isP256(leaf.public_key) && (isHardware ? hardware : software).purposes.includes(2),
  }
}
