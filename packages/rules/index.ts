export { type AgePolicy, type AgeResultData, judgeAge } from './age_rules.ts'
export {
  type AttestedDevice,
  attestedBootStates,
  attestedLevels,
  signedShares,
} from './attestation.ts'
export {
  type CaptureFeedback,
  type FeedbackCode,
  feedbackCatalogue,
  judgeDocumentCapture,
  judgeFrameCapture,
  judgeSelfieCapture,
  noFeedback,
  shownReasons,
} from './capture_feedback.ts'
export { type ChipInput, type ChipPolicy, chipPolicies } from './chip_rules.ts'
export { countryCodes, isCountry, toCountry } from './countries.ts'
export { type Day, findEarliestDay, toCalendarDay } from './dates.ts'
export { checkStatuses, sectionStatuses } from './decision.ts'
export {
  completePolicy,
  type DevicePolicy,
  type DevicePolicyName,
  defaultDevicePolicy,
  devicePolicyNames,
  findAction,
  policyActions,
} from './device_policy.ts'
export type { ExpectedData } from './document_checks.ts'
export { type DocumentIdentity, identifyDocument } from './document_identity.ts'
export { type DocumentPolicy, defaultDocumentPolicy } from './document_policy.ts'
export { documentSources } from './document_source.ts'
export { adviseAtEnd } from './end_advice.ts'
export { faceReferences } from './face_rules.ts'
export {
  type BarcodeReading,
  type CaptureRegions,
  type ChipCheck,
  type ChipComparison,
  type ChipFindings,
  type ChipLicence,
  type ChipReason,
  type DocumentFindings,
  type DocumentReading,
  type EngineFindings,
  type EngineName,
  type FaceFindings,
  type FaceTemplate,
  type LivenessFindings,
  livenessMethods,
  type Measured,
  type MrzFormat,
  type MrzReading,
  mrzFormats,
  type PictureBox,
  type PicturePoint,
  type PictureQuad,
  type PrintField,
  type PrintReading,
  passesWhen,
  printFields,
  type QualityCheck,
  type ReplayFingerprint,
  type ReportedCode,
  type StrangerDistances,
  selfieFaults,
  type UnprintedField,
  unacceptedKinds,
  type VisualZone,
} from './findings.ts'
export {
  type DocumentUses,
  type Duplicates,
  defaultFraudPolicy,
  type FaceMatches,
  type FraudPolicy,
  type SharedWithOthers,
} from './fraud_policy.ts'
export {
  createIssue,
  getIssueEntry,
  type Issue,
  type IssueCode,
  issueCatalogue,
  issueTypes,
  orderIssues,
} from './issues.ts'
export {
  type FailedResultData,
  failedResult,
  failedWithoutSession,
  findReason,
  type JudgeInput,
  type Judgement,
  judge,
  type ResultData,
} from './judge.ts'
export type {
  DeviceSignals,
  GeolocationSignals,
  LocationPermission,
  Metadata,
  NetworkSignals,
  ReportedSignals,
  ServerObservation,
} from './metadata.ts'
export { findResubmittedParts } from './resubmission.ts'
export { computeSearchLimit } from './search_limit.ts'
export { buildTrace, type Trace, type TracedIssue, type TracedRule } from './trace.ts'
export { unknownDocumentPolicies } from './unknown_document.ts'
export {
  type WalletCheck,
  type WalletClaim,
  type WalletFindings,
  type WalletPolicy,
  type WalletReason,
  walletClaims,
  walletPolicies,
  walletPortraitPolicies,
} from './wallet_findings.ts'
export { isWalletProven } from './wallet_rules.ts'
export {
  type CapturePart,
  type ChipAbsence,
  chipAbsences,
  type Decision,
  type DocumentType,
  decisions,
  documentTypes,
  type FailureCode,
  type IdentityType,
  type LivenessAction,
  livenessActions,
  type TransactionType,
  transactionTypes,
} from './words.ts'
