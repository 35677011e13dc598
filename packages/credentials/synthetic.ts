export {
  personalise,
  personaliseLicence,
  type SyntheticChip,
  specimenCard,
  specimenLicence,
  specimenPassport,
} from './synthetic/chip.ts'

export {
  type AndroidFacts,
  type AppleFacts,
  type AttestedAppleKey,
  type AttestedKey,
  attestAndroid,
  attestApple,
  createMaker,
  type DeviceMaker,
} from './synthetic/device.ts'
export { encodeJpeg2000, type Samples, wrapJpeg2000 } from './synthetic/jpeg2000.ts'
export {
  createRoot,
  createState,
  issueLink,
  issueMasterList,
  issueRevocationList,
  issueSigner,
  type State,
  usualAlgorithm,
} from './synthetic/state.ts'
export {
  type IssueOptions,
  issueMdoc,
  issueSdJwt,
  type SyntheticCredential,
  specimenPerson,
  type WalletPerson,
} from './synthetic/wallet_credential.ts'
export { answerDigital, answerLink, readRequestObject } from './synthetic/wallet_holder.ts'
export { createWalletIssuer, createWalletParty, type WalletIssuer } from './synthetic/wallet_issuer.ts'
export {
  issueIdentifierList,
  issueStatusToken,
  issueTrustedEntities,
  issueVical,
  type ListedRoot,
  type StatusListOptions,
} from './synthetic/wallet_lists.ts'
export type { HolderOptions } from './synthetic/wallet_presentation.ts'
