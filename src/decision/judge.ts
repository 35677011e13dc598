import type { Day } from './dates.ts'
import type { Decision, RuleResult, Section } from './decision.ts'
import { decide } from './decision.ts'
import type { DevicePolicy } from './device_policy.ts'
import { applyDevicePolicy, findGeolocationIssues } from './device_policy.ts'
import type { ExpectedData } from './document_checks.ts'
import type { DocumentData } from './document_rules.ts'
import { judgeDocument } from './document_rules.ts'
import type { FaceComparisonData } from './face_rules.ts'
import { judgeFace } from './face_rules.ts'
import type { EngineFindings, FaceTemplate, TransactionType } from './findings.ts'
import type { Issue, IssueSection } from './issues.ts'
import { createIssue, getIssueEntry, orderIssues } from './issues.ts'
import type { LivenessData } from './liveness_rules.ts'
import { judgeLiveness } from './liveness_rules.ts'
import type { Metadata, ReportedSignals, ServerObservation } from './metadata.ts'
import { buildMetadata } from './metadata.ts'
import { applyReportedCodes } from './reported_codes.ts'

/** All that a decision rests on. The same input gives the same judgement. */
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

/** `result_data` of FINISHED (spec, "Result"); `document` is absent where no document was asked for. */
export interface ResultData {
  readonly decision: Decision
  readonly issues: readonly Issue[]
  readonly document?: Section<DocumentData>
  readonly liveness: Section<LivenessData>
  readonly face_comparison: Section<FaceComparisonData>
  readonly metadata: Metadata
}

/** A judged transaction. */
export interface Judgement {
  readonly result_data: ResultData
  readonly decision: Decision
  /** The face to enrol; null where nothing is enrolled. */
  readonly template: FaceTemplate | null
  /** Whether `template` renews the enrolled face that it was compared with, and enrols no other. */
  readonly renewsTemplate: boolean
  /** Every rule that was applied, in its order: what `trace.ts` is made of. */
  readonly ruleResults: readonly SectionResult[]
}

/** A rule's outcome, and what it speaks of. */
export interface SectionResult extends RuleResult {
  readonly section: IssueSection
}

const inSection = (section: IssueSection, findings: readonly RuleResult[]): SectionResult[] =>
  findings.map(found => ({ ...found, section }))

/** Turns evidence and signals into the result (spec, "Result" and "Device policy"; decisions, "Decision"). */
export const judge = (input: JudgeInput): Judgement => {
  const { findings: evidence, transaction_type, today } = input
  const metadata = buildMetadata(input.signals, input.observed)
  const onboarding = transaction_type === 'DOCUMENT_AND_BIOMETRIC'
  const document = onboarding
    ? applyReportedCodes(judgeDocument(evidence.document, input.expected_data ?? {}, today), evidence.document)
    : null
  const liveness = applyReportedCodes(judgeLiveness(evidence.liveness, input.liveness_attempts), evidence.liveness)
  const face = applyReportedCodes(judgeFace(evidence.face, transaction_type), evidence.face)
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
  // A template of an earlier version of the engine is renewed by the first step-up that it approves.
  const renews = !onboarding && evidence.face?.reference_former === true
  const enrols = decision === 'APPROVED' && (onboarding || renews)
  const template = enrols ? (evidence.face?.template ?? null) : null
  const findings = [
    ...inSection('document', document?.results ?? []),
    ...inSection('liveness', liveness.results),
    ...inSection('face', face.results),
    ...device.flatMap(found =>
      inSection(found.issues.map(issue => getIssueEntry(issue.code).section)[0] ?? 'device', [found]),
    ),
  ]
  return { result_data, decision, template, renewsTemplate: renews, ruleResults: findings }
}

/** Why a transaction FAILED (decisions, "States"): a technical inability to decide. */
export type FailureCode = 'ANALYSIS_ERROR' | 'ANALYSIS_TIMEOUT' | 'CAPTURE_UNREADABLE' | 'CANCELLED'

/** `result_data` of FAILED (decisions, "States"). */
export interface FailedResultData {
  readonly decision: 'UNDETERMINED'
  readonly issues: readonly Issue[]
  readonly metadata: Metadata
}

/**
 * The result of a transaction that FAILED: nothing was decided, one issue says why, and another why there is no
 * geolocation, where there is none (spec, "Device policy", rule 5).
 */
export const failedResult = (
  code: FailureCode,
  signals: ReportedSignals,
  observed: ServerObservation,
): FailedResultData => {
  const metadata = buildMetadata(signals, observed)
  const issues = orderIssues([createIssue(code), ...findGeolocationIssues(metadata, signals.location_permission)])
  return { decision: 'UNDETERMINED', issues, metadata }
}
