import {
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  type Extension,
  KeyUsage,
  KeyUsageFlags,
} from '@peculiar/asn1-x509'
import { toDer } from '../chip/canonical.ts'
import { readCertificate, readExtension, type StateCertificate } from '../chip/certificates.ts'
import { parseDer } from '../chip/der.ts'
import { refuse } from './place.ts'

/**
 * A certificate may vouch for one of these: the issuers of a credential, signers of status lists who issue none, or signers of lists
 * of issuers.
 */
export type WalletPurpose = 'MDL' | 'PID' | 'AGE' | 'STATUS' | 'LIST'

/**
 * Reads an issuer's certificate. It must be DER to the last byte: these are new, unlike the certificates that states
 * have written for decades.
 */
export function readStrictCertificate(place: string, bytes: Buffer): StateCertificate {
  if (bytes.length > 16 * 1024) throw refuse(place, 'must be a certificate of at most 16 KiB')
  if (!toDer(bytes).equals(bytes)) throw refuse(place, 'must be DER')
  return readCertificate(bytes)
}

/** Known extensions that change who may sign (RFC 5280); limited names (2.5.29.30) are not among them. */
const known: ReadonlySet<string> = new Set([
  ...[
    '2.5.29.14',
    '2.5.29.15',
    '2.5.29.17',
    '2.5.29.18',
    '2.5.29.19',
    '2.5.29.31',
    '2.5.29.32',
    '2.5.29.35',
    '2.5.29.37',
  ],
  ...['1.3.6.1.5.5.7.1.1', '1.3.6.1.5.5.7.1.3'],
])

/** ISO/IEC 18013-5, annex B, names purposes under this one: 2 signs mDLs, 6 reads them, 8 signs lists. */
const ofIso = '1.0.18013.5.1.'
const purposeOfMdl = '1.0.18013.5.1.2'
const purposeOfVical = '1.0.18013.5.1.8'
/** ICAO's, of passports. */
const ofIcao = '2.23.136.1.1.'

function fitsPurpose(purposes: readonly string[], purpose: WalletPurpose): boolean {
  if (purpose === 'MDL') return purposes.includes(purposeOfMdl)
  if (purpose === 'LIST')
    return purposes.length === 0 || !purposes.some(one => one !== purposeOfVical && one.startsWith(ofIso))
  const isOfIso = (one: string): boolean => one.startsWith(ofIso) && one !== purposeOfMdl
  return !purposes.some(one => isOfIso(one) || one.startsWith(ofIcao))
}

/** The extensions of a certificate; null: a critical one is not known. */
function readExtensions({ der }: StateCertificate): readonly Extension[] | null {
  const extensions = parseDer('a certificate', der, Certificate).tbsCertificate.extensions ?? []
  return extensions.some(({ critical, extnID }) => critical && !known.has(extnID)) ? null : extensions
}

/**
 * Whether the certificate of a signer lets it sign for a purpose: it signs data and no certificates, has no critical
 * extension that is not known, and no purpose of another kind. An mDL's signer must have the purpose of ISO/IEC 18013-5.
 */
export function maySignFor(certificate: StateCertificate, purpose: WalletPurpose): boolean {
  const extensions = readExtensions(certificate)
  if (certificate.is_authority === true || extensions === null) return false
  const usage = readExtension(extensions, '2.5.29.15', KeyUsage)
  if (usage !== null && (usage.toNumber() & KeyUsageFlags.digitalSignature) === 0) return false
  return fitsPurpose(readExtension(extensions, '2.5.29.37', ExtendedKeyUsage) ?? [], purpose)
}

/** Whether an authority may stand above so many others in a chain (RFC 5280, 4.2.1.9: `pathLenConstraint`). */
export function mayStandAbove(certificate: StateCertificate, authorities: number): boolean {
  const extensions = readExtensions(certificate)
  if (extensions === null) return false
  const limit = readExtension(extensions, '2.5.29.19', BasicConstraints)?.pathLenConstraint ?? null
  return limit === null || authorities <= limit
}
