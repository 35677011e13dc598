export {
  personalise,
  personaliseLicence,
  type SyntheticChip,
  specimenCard,
  specimenLicence,
  specimenPassport,
} from './synthetic/chip.ts'

export { type AndroidFacts, type AppleFacts, attestAndroid, attestApple, createMaker } from './synthetic/device.ts'
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
export { issueMdoc, issueSdJwt, type SyntheticCredential, specimenPerson } from './synthetic/wallet_credential.ts'
export { answerDigital, answerLink } from './synthetic/wallet_holder.ts'
export { createWalletIssuer, createWalletParty, type WalletIssuer } from './synthetic/wallet_issuer.ts'
export { issueStatusToken, issueTrustedEntities, issueVical } from './synthetic/wallet_lists.ts'
export type { HolderOptions } from './synthetic/wallet_presentation.ts'
