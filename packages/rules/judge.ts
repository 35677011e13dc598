import { type ChipInput, type ChipPolicy, completeByChip, type JudgedChip, judgeChip } from './chip_rules.ts'
import type { Day } from './dates.ts'
import {
  conclude,
  decide,
  findEffect,
  type JudgedSection,
  type RuleEffect,
  type RuleResult,
  type Section,
  type SectionStatus,
} from './decision.ts'
import { applyDevicePolicy, type DevicePolicy, findGeolocationIssues, findPolicySection } from './device_policy.ts'
import type { ExpectedData } from './document_checks.ts'
import type { DocumentPolicy } from './document_policy.ts'
import { type DocumentData, judgeDocument } from './document_rules.ts'
import { type DocumentPortrait, type FaceComparisonData, judgeFace } from './face_rules.ts'
import type { EngineFindings, FaceTemplate, ReportedCode } from './findings.ts'
import { applyFraudPolicy, type Duplicates, type FraudPolicy, isAnySearched, selectSearched } from './fraud_policy.ts'
import { createIssue, type Issue, type IssueCode, type IssueSection, orderIssues } from './issues.ts'
import { judgeLiveness, type LivenessData } from './liveness_rules.ts'
import {
  buildMetadata,
  findPermission,
  type Metadata,
  type ReportedSignals,
  type ServerObservation,
} from './metadata.ts'
import type { WalletFindings } from './wallet_findings.ts'
import { isWalletProven, judgeWallet } from './wallet_rules.ts'
import type { Decision, FailureCode, IdentityType } from './words.ts'

/** Unmapped codes may mean anything: they are reported and leave their section open. */
function judgeUnknownCodes(reported: readonly ReportedCode[]): readonly RuleResult[] {
  const codes = reported.filter(({ issue }) => issue === null).map(({ code }) => code)
  return codes.length === 0
    ? []
    : [conclude('unknown_codes', 'UNDETERMINED', [createIssue('ENGINE_CODE_UNKNOWN', { codes })])]
}

function judgeKnownCodes(reported: readonly ReportedCode[]): readonly RuleResult[] {
  return reported.flatMap(({ code, issue, status }) =>
    issue === null ? [] : [conclude(`code ${code}`, status, [createIssue(issue)])],
  )
}

/** Adds the codes that an engine reported. They can only make a section worse. */
function applyReportedCodes<Data>(
  judged: JudgedSection<Data>,
  findings: { readonly reported?: readonly ReportedCode[] } | null,
): JudgedSection<Data> {
  const codes = findings?.reported ?? []
  const reported = [...judgeKnownCodes(codes), ...judgeUnknownCodes(codes)]
  const { status, data } = judged.section
  const worst = ['REJECTED', 'UNDETERMINED'] as const
  const found = worst.find(candidate => reported.some(({ check }) => check.status === candidate))
  const worse = found === 'REJECTED' || (found === 'UNDETERMINED' && status === 'PASSED') ? found : status
  return {
    section: { status: worse, data },
    issues: [...judged.issues, ...reported.flatMap(({ issues }) => issues)],
    results: [...judged.results, ...reported],
  }
}

/** Everything that a decision rests on. The same input gives the same judgement. */
export interface JudgeInput {
  readonly transaction_type: IdentityType
  readonly findings: EngineFindings
  readonly signals: ReportedSignals
  readonly observed: ServerObservation
  readonly device_policy: DevicePolicy
  readonly fraud_policy: FraudPolicy
  readonly document_policy: DocumentPolicy
  readonly duplicates: Duplicates
  /** The document's chip, and the policy for it. Absent: chips are ignored. */
  readonly chip?: { readonly policy: ChipPolicy; readonly input: ChipInput } | undefined
  /** A wallet's answer in place of pictures. Absent or null: none. */
  readonly wallet?: WalletFindings | null | undefined
  readonly expected_data: ExpectedData | null
  /** Number of liveness challenges that were issued; null if none was. */
  readonly liveness_attempts: number | null
  /** The day of the evaluation in UTC, which issues name: centuries are judged on it. */
  readonly today: Day
  /** The earliest day that it still is somewhere: a document that expires on it is valid. Absent: `today`. */
  readonly earliest_day?: Day
}

/** `result_data` of a FINISHED transaction; `document` is absent in a `BIOMETRIC_ONLY` one. */
export interface ResultData {
  readonly decision: Decision
  readonly issues: readonly Issue[]
  readonly document?: Section<DocumentData>
  readonly liveness: Section<LivenessData>
  readonly face_comparison: Section<FaceComparisonData>
  /** Absent unless the fraud policy asks for some. */
  readonly duplicates?: Duplicates
  readonly metadata: Metadata
}

export interface Judgement<Result = ResultData> {
  readonly result_data: Result
  readonly decision: Decision
  /** The face to enrol; null: none. */
  readonly template: FaceTemplate | null
  /** Every rule that was applied, in order; for the trace. */
  readonly ruleResults: readonly SectionResult[]
}

export interface SectionResult extends RuleResult {
  readonly section: IssueSection
  readonly effect: RuleEffect
}

function inSection(section: IssueSection, required: SectionStatus | null) {
  return (found: RuleResult): SectionResult => ({ ...found, section, effect: findEffect(found, required) })
}

/** Adds the codes that the engine reported, and the effect of each rule. */
function complete<Data>(
  section: 'document' | 'liveness' | 'face',
  judged: JudgedSection<Data>,
  findings: EngineFindings,
  isNeeded = true,
) {
  const { results, ...rest } = applyReportedCodes(judged, findings[section])
  return { ...rest, results: results.map(inSection(section, isNeeded ? judged.section.status : null)) }
}

function judgeDocumentChip({ chip, findings: { document } }: JudgeInput): JudgedChip | null {
  const read = document?.reading === 'READ' ? document : null
  return chip === undefined ? null : judgeChip(chip.input, read?.mrz ?? null, chip.policy, read?.print ?? null)
}

interface JudgedDocument {
  readonly section: Section<DocumentData>
  readonly issues: readonly Issue[]
  readonly results: readonly SectionResult[]
}

function isDoubtOfPrint({ check }: RuleResult): boolean {
  return check.name.startsWith('visual_') && check.status === 'UNDETERMINED'
}

/** A proven chip's data needs no print: doubts about the printed text are only reported then. */
function discountPrint(document: JudgedDocument, chip: JudgedChip | null): JudgedDocument {
  if (chip?.data.status !== 'PASSED' || !document.results.some(isDoubtOfPrint)) return document
  const { section } = document
  const others = document.results.filter(found => !isDoubtOfPrint(found) && !found.onlyReports)
  const isOnlyPrint = section.status === 'UNDETERMINED' && others.every(({ check }) => check.status !== 'UNDETERMINED')
  return {
    ...document,
    section: isOnlyPrint ? { ...section, status: 'PASSED' } : section,
    results: document.results.map(found =>
      isDoubtOfPrint(found) ? { ...found, onlyReports: true, effect: 'none' } : found,
    ),
  }
}

function addChip(section: Section<DocumentData>, chip: JudgedChip | null): Section<DocumentData> {
  if (chip === null) return section
  const data = chip.details === null ? section.data : completeByChip(section.data, chip.details)
  return { ...section, data: { ...data, chip: chip.data } }
}

/** Each code once: several checks may say the same. */
function mergeIssues(chip: JudgedChip | null): readonly Issue[] {
  const issues = chip?.results.flatMap(result => result.issues) ?? []
  const reasonsOf = (code: Issue['code']): string[] =>
    issues
      .filter(issue => issue.code === code)
      .flatMap(({ details }) => (details?.reasons as string[] | undefined) ?? [])
  return [...new Map(issues.map(issue => [issue.code, issue])).values()].map(issue => {
    const reasons = [...new Set(reasonsOf(issue.code))]
    return reasons.length === 0 ? issue : { ...issue, details: { ...issue.details, reasons } }
  })
}

/** Returns the portrait that counts. A signed one counts only if every check of its signature has passed. */
function findPortrait({ wallet = null }: JudgeInput, chip: JudgedChip | null): DocumentPortrait {
  if (wallet !== null) return wallet.has_portrait && isWalletProven(wallet) ? 'WALLET' : 'NONE'
  return chip?.data.status === 'PASSED' ? 'CHIP' : 'PRINTED'
}

/** Judges what the device and its connection are, which no document changes. */
export function judgeDevice({ signals, observed, device_policy }: JudgeInput): readonly SectionResult[] {
  const metadata = buildMetadata(signals, observed)
  const permission = findPermission(signals)
  return applyDevicePolicy({ metadata, reported: signals.device ?? {}, permission }, device_policy).map(found =>
    inSection(findPolicySection(found.check.name), null)(found),
  )
}

/** Turns findings and signals into the result. */
export function judge(input: JudgeInput): Judgement {
  const { findings, transaction_type } = input
  const days = { today: input.today, earliest: input.earliest_day ?? input.today }
  const metadata = buildMetadata(input.signals, input.observed)
  const onboarding = transaction_type === 'DOCUMENT_AND_BIOMETRIC'
  const { wallet = null, document_policy: policy } = input
  const expected = input.expected_data ?? {}
  const chip = onboarding && wallet === null ? judgeDocumentChip(input) : null
  const by = { policy, isChipProven: chip?.data.status === 'PASSED' }
  const shown = () =>
    wallet === null ? judgeDocument(findings.document, expected, days, by) : judgeWallet(wallet, expected, days, policy)
  const page = onboarding ? complete('document', shown(), findings) : null
  const document = page === null ? null : discountPrint(page, chip)
  const liveness = complete('liveness', judgeLiveness(findings.liveness, input.liveness_attempts), findings)
  const portrait = findPortrait(input, chip)
  const isFaceNeeded = portrait !== 'NONE' || policy.wallet_without_portrait !== 'LIVENESS_ONLY'
  const face = complete('face', judgeFace(findings.face, transaction_type, portrait), findings, isFaceNeeded)
  const device = judgeDevice(input)
  const fraud = applyFraudPolicy(input.duplicates, transaction_type, input.fraud_policy)
  const issues = orderIssues([
    ...(document?.issues ?? []),
    ...mergeIssues(chip),
    ...liveness.issues,
    ...face.issues,
    ...[...device, ...fraud].flatMap(found => found.issues),
  ])
  const required = [document, liveness, isFaceNeeded ? face : null].flatMap(judged =>
    judged === null ? [] : [judged.section.status],
  )
  const decision = decide(issues, chip?.required == null ? required : [...required, chip.required])
  const result_data: ResultData = {
    decision,
    issues,
    ...(document === null ? {} : { document: addChip(document.section, chip) }),
    liveness: liveness.section,
    face_comparison: face.section,
    ...(isAnySearched(input.fraud_policy) ? { duplicates: selectSearched(input.duplicates, input.fraud_policy) } : {}),
    metadata,
  }
  // A face that was compared with no portrait is not known to be the customer's.
  const isEnrolled = decision === 'APPROVED' && onboarding && portrait !== 'NONE'
  const template = isEnrolled ? (findings.face?.template ?? null) : null
  const ruleResults = [
    ...(document?.results ?? []),
    ...(chip?.results.map(inSection('document', chip.required)) ?? []),
    ...liveness.results,
    ...face.results,
    ...device,
    ...fraud.map(inSection('transaction', null)),
  ]
  return { result_data, decision, template, ruleResults }
}

/**
 * Returns the reason for anything but an approval: of the rules that rejected, or else of those that prevented an
 * approval, the first issue in the published order. Null for an approval.
 */
export function findReason({ decision, ruleResults }: Pick<Judgement, 'decision' | 'ruleResults'>): IssueCode | null {
  const [effect, types] = decision === 'REJECTED' ? ['rejects', ['REJECT']] : ['prevents_approval', ['REJECT', 'WARN']]
  const issues = ruleResults.filter(found => found.effect === effect).flatMap(found => found.issues)
  return decision === 'APPROVED' ? null : (orderIssues(issues).find(({ type }) => types.includes(type))?.code ?? null)
}

/** `result_data` of a FAILED transaction. */
export interface FailedResultData {
  readonly decision: 'UNDETERMINED'
  readonly issues: readonly Issue[]
  /** Without `geolocation` where no session began. */
  readonly metadata: Omit<Metadata, 'geolocation'> & Partial<Pick<Metadata, 'geolocation'>>
}

/** The result of a FAILED transaction: nothing is decided. One issue says why, another why geolocation is null. */
export function failedResult(
  code: FailureCode,
  signals: ReportedSignals,
  observed: ServerObservation,
): FailedResultData {
  const metadata = buildMetadata(signals, observed)
  const issues = orderIssues([createIssue(code), ...findGeolocationIssues(findPermission(signals))])
  return { decision: 'UNDETERMINED', issues, metadata }
}

/**
 * Returns the same for a transaction without a session. No SDK was there to ask for the location, so no issue says that
 * it did not; and as the specification wants one beside a null, there is no `geolocation`.
 */
export function failedWithoutSession(code: FailureCode, observed: ServerObservation): FailedResultData {
  const { device, network } = buildMetadata({}, observed)
  return { decision: 'UNDETERMINED', issues: [createIssue(code)], metadata: { device, network } }
}
