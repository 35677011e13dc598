export type { WalletPurpose } from './wallet/certificate_profile.ts'
export type { WalletQuery } from './wallet/credential_kinds.ts'
export type { WalletParty, WalletRequest } from './wallet/request_types.ts'
export { readStatusExpiry } from './wallet/status_list.ts'
export { verifyWalletAnswer } from './wallet/verify_wallet_answer.ts'
export { openWalletAnswer, type SentAnswer, type WalletPresentation } from './wallet/wallet_answer.ts'
export {
  createWalletRequest,
  type DigitalRequest,
  describeWalletLink,
  listDigitalRequests,
  signRequestObject,
} from './wallet/wallet_request.ts'
export type { WalletAnchor, WalletTrust } from './wallet/wallet_trust.ts'
export { readWalletTrustFile } from './wallet/wallet_trust_file.ts'
