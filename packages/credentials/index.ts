export { challengeBytes } from './chip/active_authentication.ts'
export { readCertificate, type StateCertificate } from './chip/certificates.ts'
export type { TrustAnchors } from './chip/chain.ts'
export { readPortraitGroup, readZoneGroup } from './chip/data_groups.ts'
export { listCountries } from './chip/issuing_state.ts'
export { readLicenceGroup } from './chip/licence_groups.ts'
export { isListOfKnown } from './chip/revocation.ts'
export { type RevocationList, readRevocationList } from './chip/revocation_list.ts'
export { readSecurityObject } from './chip/security_object.ts'
export type { SignedContent } from './chip/signed_data.ts'
export {
  type CertificateKind,
  checkMasterList,
  classifyCertificate,
  classifyListed,
  type MasterListSignature,
  readMasterList,
  readTrustFile,
} from './chip/trust_files.ts'
export { readOrNull, UnreadableFileError } from './chip/unreadable_file_error.ts'
export {
  type ChipFileName,
  type ChipFiles,
  findPortraitFile,
  listChangedFiles,
  verifyChip,
} from './chip/verify_chip.ts'
