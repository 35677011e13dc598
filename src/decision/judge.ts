import type { FailureCode } from '../../machines/transaction.ts'
import type { Day } from './dates.ts'
import type { Decision, RuleResult, Section } from './decision.ts'
import { decide } from './decision.ts'
import type { DevicePolicy } from './device_policy.ts'
import { applyDevicePolicy, findGeolocationIssues, findPolicySection } from './device_policy.ts'
import type { ExpectedData } from './document_checks.ts'
import type { DocumentData } from './document_rules.ts'
import { judgeDocument } from './document_rules.ts'
import type { FaceComparisonData } from './face_rules.ts'
import { judgeFace } from './face_rules.ts'
import type { EngineFindings, FaceTemplate, TransactionType } from './findings.ts'
import type { Issue, IssueSection } from './issues.ts'
import { createIssue, orderIssues } from './issues.ts'
import type { LivenessData } from './liveness_rules.ts'
import { judgeLiveness } from './liveness_rules.ts'
import type { Metadata, ReportedSignals, ServerObservation } from './metadata.ts'
import { buildMetadata } from './metadata.ts'
import { applyReportedCodes } from './reported_codes.ts'

/** Everything that a decision rests on. The same input gives the same judgement. */
export interface JudgeInput {
  readonly transaction_type: TransactionType
  readonly findings: EngineFindings
  readonly signals: ReportedSignals
  readonly observed: ServerObservation
  readonly device_policy: DevicePolicy
  readonly expected_data: ExpectedData | null
  /** How many liveness challenges were issued; null where none was. */
  readonly liveness_attempts: number | null
  /** The day of the evaluation: validity and centuries are judged on it. */
  readonly today: Day
}

/** `result_data` of a FINISHED transaction; `document` is absent in a `BIOMETRIC_ONLY` one. */
export interface ResultData {
  readonly decision: Decision
  readonly issues: readonly Issue[]
  readonly document?: Section<DocumentData>
  readonly liveness: Section<LivenessData>
  readonly face_comparison: Section<FaceComparisonData>
  readonly metadata: Metadata
}

export interface Judgement {
  readonly result_data: ResultData
  readonly decision: Decision
  /** The face to enrol; null: none. */
  readonly template: FaceTemplate | null
  /** Whether `template` replaces the enrolled face, if that is still the one it was compared with. */
  readonly renewsTemplate: boolean
  /** Every rule that was applied, in order; for the trace. */
  readonly ruleResults: readonly SectionResult[]
}

export interface SectionResult extends RuleResult {
  readonly section: IssueSection
}

function inSection(section: IssueSection, results: readonly RuleResult[]): SectionResult[] {
  return results.map(found => ({ ...found, section }))
}

/** Turns findings and signals into the result. */
export function judge(input: JudgeInput): Judgement {
  const { findings, transaction_type, today } = input
  const metadata = buildMetadata(input.signals, input.observed)
  const onboarding = transaction_type === 'DOCUMENT_AND_BIOMETRIC'
  const document = onboarding
    ? applyReportedCodes(judgeDocument(findings.document, input.expected_data ?? {}, today), findings.document)
    : null
  const liveness = applyReportedCodes(judgeLiveness(findings.liveness, input.liveness_attempts), findings.liveness)
  const face = applyReportedCodes(judgeFace(findings.face, transaction_type), findings.face)
  const device = applyDevicePolicy(metadata, input.signals.location_permission, input.device_policy)
  const issues = orderIssues([
    ...(document?.issues ?? []),
    ...liveness.issues,
    ...face.issues,
    ...device.flatMap(found => found.issues),
  ])
  const required = [document, liveness, face].flatMap(judged => (judged === null ? [] : [judged.section.status]))
  const decision = decide(issues, required)
  const result_data: ResultData = {
    decision,
    issues,
    ...(document === null ? {} : { document: document.section }),
    liveness: liveness.section,
    face_comparison: face.section,
    metadata,
  }
  // The first approved step-up renews a template of an earlier version of the engine.
  const renewsTemplate = !onboarding && findings.face?.reference_former === true
  const enrols = decision === 'APPROVED' && (onboarding || renewsTemplate)
  const template = enrols ? (findings.face?.template ?? null) : null
  const ruleResults = [
    ...inSection('document', document?.results ?? []),
    ...inSection('liveness', liveness.results),
    ...inSection('face', face.results),
    ...device.flatMap(found => inSection(findPolicySection(found.check.name), [found])),
  ]
  return { result_data, decision, template, renewsTemplate, ruleResults }
}

/** `result_data` of a FAILED transaction. */
export interface FailedResultData {
  readonly decision: 'UNDETERMINED'
  readonly issues: readonly Issue[]
  readonly metadata: Metadata
}

/** The result of a FAILED transaction: nothing is decided. One issue says why, another why geolocation is null. */
export function failedResult(
  code: FailureCode,
  signals: ReportedSignals,
  observed: ServerObservation,
): FailedResultData {
  const metadata = buildMetadata(signals, observed)
  const issues = orderIssues([createIssue(code), ...findGeolocationIssues(metadata, signals.location_permission)])
  return { decision: 'UNDETERMINED', issues, metadata }
}
