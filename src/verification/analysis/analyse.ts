import {
  type AgeResultData,
  buildTrace,
  type EngineFindings,
  type EngineName,
  findEarliestDay,
  findReason,
  findResubmittedParts,
  type JudgeInput,
  type Judgement,
  judge,
  judgeAge,
  type ReplayFingerprint,
  type ResultData,
} from '@attestor/rules'
import {
  type AnalysisEngine,
  AnalysisError,
  type AnalysisRequest,
  EngineUnavailableError,
  type PictureCopies,
} from '@attestor/vision'
import { JobError, type JobResult, PostponeJob, readFirst, type Statement } from 'durable-xstate-sql'
import { listColumns, type RowOf, requireKnownChart, requireValue, toNullableColumns } from 'durable-xstate-sql/sql'
import {
  type AnalysisOutput,
  type CaptureReference,
  mayResubmit,
  type Resubmission,
  type TransactionContext,
  takesFace,
  takesPhotographs,
} from '../../../machines/transaction.ts'
import { unavailable } from '../../base/api_error.ts'
import { isoDate } from '../../base/clock.ts'
import { DecryptionError } from '../../base/encryption.ts'
import { newSecret } from '../../base/ids.ts'
import { columnsOf, type TableRow } from '../../database/schema.ts'
import type { ReadContent } from '../captures/captures.ts'
import { findingsParts } from '../captures/findings.ts'
import { UnreadableCaptureError } from '../captures/new_capture.ts'
import { toIdentityType } from '../transactions/age.ts'
import type { StoredConfig, TestScript } from '../transactions/config.ts'
import type { Compared, Evidence, EvidenceCase, TransactionDeps } from '../transactions/deps.ts'
import { listHeldCaptures } from '../transactions/held_captures.ts'
import { computeOutcomeMac } from '../transactions/row_macs.ts'
import {
  actorNow,
  type CaptureKeys,
  decryptExpectedData,
  openCaptureKey,
  openDataKey,
  parseConfig,
  parseContext,
} from '../transactions/rows.ts'
import { listReports, toDeviceKnowledge } from '../transactions/signals.ts'
import { createScriptedScene } from '../transactions/test_script.ts'
import { encryptTrace } from '../transactions/trace.ts'
import { createAccountTurns } from './account_turns.ts'
import { type AnalysisHandler, countFreeSlots } from './admission.ts'
import { decryptEnrolledFace, enrolFace } from './enrolment.ts'
import { readKeptFindings } from './kept_findings.ts'
import { insertFingerprints, readEarlierFingerprints } from './replay_fingerprints.ts'
import { insertIssues, isForReview, resultColumns, reviewColumns } from './result.ts'

const columns = {
  ...columnsOf('transactions', 'id', 'account_id', 'customer_id', 'chart_version', 'snapshot', 'config'),
  ...columnsOf('transactions', 'expected_data', 'clock_offset_ms', 'created_at', 'processing_at', 'expires_at'),
} as const

const columnsWithCustomer = {
  ...columns,
  ...toNullableColumns(columnsOf('customers', 'data_key', 'face', 'face_transaction_id')),
  capture_key: 'bytes?',
} as const

type CaseRow = RowOf<typeof columns> &
  Pick<CaptureKeys, 'capture_key'> &
  Pick<TableRow<'customers'>, 'data_key' | 'face' | 'face_transaction_id'>

const selectForAnalysis = `SELECT ${listColumns(columns, 't')}, (SELECT c.data_key FROM customers c WHERE c.id = t.customer_id) AS data_key,
  (SELECT c.face FROM customers c WHERE c.id = t.customer_id) AS face,
  (SELECT c.face_transaction_id FROM customers c WHERE c.id = t.customer_id) AS face_transaction_id,
  (SELECT k.data_key FROM capture_keys k WHERE k.id = t.id) AS capture_key FROM transactions t WHERE t.id = ?`

interface AnalysisCase {
  readonly row: CaseRow
  /** The customer's. */
  readonly key: Buffer
  readonly captureKey: Buffer
  readonly context: TransactionContext
}

/** A judgement with its findings; `stages` are the durations before and after the engine's. */
interface Judged extends Pick<JobResult, 'stages'> {
  readonly judgement: Judgement<ResultData | AgeResultData>
  readonly findings: EngineFindings
  readonly compared: Compared
  /** Makes the face searchable that is enrolled. */
  readonly enrolment: readonly Statement[]
  /** Time by the transaction's own clock, which a test account may advance. The document is judged on its day. */
  readonly decided_at: number
}

const noFindings: EngineFindings = { document: null, liveness: null, face: null, stages: {} }

async function createAnalysisRequest(
  deps: TransactionDeps,
  { row, key, captureKey, context }: AnalysisCase,
  getContent: ReadContent,
): Promise<AnalysisRequest> {
  const { front, back, selfie, challenge } = context
  const frames = challenge?.frames.filter(frame => frame !== null) ?? []
  const getOptionalContent = (reference: CaptureReference | null) => (reference === null ? null : getContent(reference))
  return {
    transaction_id: row.id,
    transaction_type: toIdentityType(context.transaction_type),
    document_front: getOptionalContent(front),
    document_back: getOptionalContent(back),
    selfie: getOptionalContent(selfie),
    challenge:
      challenge === null
        ? null
        : {
            actions: challenge.actions,
            frames: frames.map(getContent),
            attempts: context.takes.challenge,
            earlier: await readEarlierFingerprints(deps, key, row),
          },
    enrolled_face: decryptEnrolledFace(key, row),
    kept: await readKeptFindings(
      deps,
      captureKey,
      listHeldCaptures(context).map(one => ({ ...one, parts: findingsParts })),
    ),
  }
}

/** A person needs about so long to take something again. */
const shortestResubmissionMs = 60_000

/** Returns null if nothing can be taken again: then the result is final, or a reviewer's. */
function findResubmission(
  context: TransactionContext,
  { expires_at }: CaseRow,
  result_data: ResultData | AgeResultData,
  now: number,
): Resubmission | null {
  const expires_in_ms = expires_at - now
  const isPictured = takesPhotographs(context)
  const parts = findResubmittedParts(result_data, context.back !== null).filter(
    part => isPictured || (part !== 'front' && part !== 'back'),
  )
  return mayResubmit(context, parts) && expires_in_ms >= shortestResubmissionMs
    ? { parts, expires_in_ms, answered: null }
    : null
}

/** The commit that sends the result to the transaction also writes the judgement and its trace, encrypted. */
function toJobResult(
  deps: TransactionDeps,
  { row, key, context }: AnalysisCase,
  judged: Judged,
): JobResult<AnalysisOutput> {
  const id = row.id
  const { judgement, decided_at, stages } = judged
  const { result_data, template, decision } = judgement
  const resubmission = findResubmission(context, row, result_data, decided_at)
  if (resubmission !== null) return { output: { decision, resubmission }, writes: [], ...(stages && { stages }) }
  const findings = { ...judged.findings, stages: { ...judged.findings.stages, ...stages } }
  const trace = buildTrace({ judgement, findings, decided_at, salt: newSecret() })
  const { trace_sha256, encrypted } = encryptTrace(id, key, trace)
  const output: AnalysisOutput = { decision, trace_sha256 }
  const decided =
    !('age' in result_data) && isForReview(context, decision)
      ? reviewColumns({ row, key }, result_data, findings.face?.template ?? null)
      : resultColumns({ row, key }, result_data)
  const writes = [
    deps.captures.deleteFindings(id),
    ...insertIssues(row, result_data.issues),
    ...judged.compared.keep(decided_at),
    ...insertFingerprints(deps, key, row, listFingerprints(findings), judged.compared.remember),
    ...(template === null ? [] : [enrolFace(deps.rowKey, key, row, template), ...judged.enrolment]),
  ]
  const outcome = {
    id,
    review_template: null,
    ...decided,
    reason: findReason(judgement),
    country: 'age' in result_data ? null : (result_data.document?.data.issuing_country ?? null),
    trace: encrypted,
    review_reason: null,
  }
  const { id: _, ...columns } = outcome
  return {
    output,
    writes,
    columns: { ...columns, outcome_mac: computeOutcomeMac(deps.rowKey, outcome) },
    ...(stages && { stages }),
  }
}

/** Plays the delay and the failure of a script. @throws {PostponeJob} `AnalysisError`, `UnreadableCaptureError` */
function playScriptedFailure(deps: TransactionDeps, row: CaseRow, { failure, delay_seconds }: TestScript): void {
  const { analysis_deadline_ms } = parseContext(row).limits
  const durationMs = failure === 'ANALYSIS_TIMEOUT' ? analysis_deadline_ms + 1000 : delay_seconds * 1000
  const leftMs = requireValue(row.processing_at, 'processing_at') + durationMs - actorNow(deps, row)
  if (leftMs > 0) throw new PostponeJob(deps.clock.now() + leftMs)
  if (failure === 'ANALYSIS_ERROR') throw new AnalysisError('scripted')
  if (failure === 'CAPTURE_UNREADABLE') throw new UnreadableCaptureError('scripted')
}

/**
 * Selects a script's result for this analysis: the first one, or the one after the person has taken something again.
 */
function selectScripted({ issues, second_issues }: TestScript, { context, row }: AnalysisCase, now: number) {
  const isSecond = context.resubmissions > 0 && now < row.expires_at
  return { issues: isSecond ? second_issues : issues }
}

/** Lists the fingerprints of the frames, the selfie and the document's portrait. */
function listFingerprints({ liveness, face, document }: EngineFindings): readonly ReplayFingerprint[] {
  const pictures = [...(liveness?.fingerprints ?? []), face?.fingerprint, document?.fingerprint]
  return pictures.filter(picture => picture != null)
}

/** A scene has its own duplicates, and leaves nothing behind that others could share. */
function compareCase(
  deps: TransactionDeps,
  { row, context }: AnalysisCase,
  config: StoredConfig,
  scene: Pick<JudgeInput, 'findings'> & Partial<JudgeInput>,
  copies: PictureCopies | null,
): Promise<Compared> | Compared {
  const { findings, duplicates } = scene
  if (duplicates !== undefined) return { input: { duplicates }, keep: () => [], remember: () => [] }
  const fingerprints = listFingerprints(findings)
  return deps.comparison.compare({ row, context, config, findings, fingerprints, copies, now: actorNow(deps, row) })
}

/** Returns the judgement, and the findings that may be kept: none, where the answer is an age. */
function judgeCase(given: JudgeInput, { age }: StoredConfig): Pick<Judged, 'judgement' | 'findings'> {
  const { findings } = given
  return age === null
    ? { judgement: judge(given), findings }
    : { judgement: judgeAge(given, age), findings: { ...noFindings, stages: findings.stages } }
}

/** Reads the evidence of all features, one after another: the first portrait counts. */
async function readEvidence(deps: TransactionDeps, of: EvidenceCase) {
  let evidence: Evidence = { input: {}, portrait: null }
  const stages: Record<string, number> = {}
  for (const { stage, read } of deps.evidence) {
    const startedAt = deps.clock.monotonic()
    const found = await read(deps, of)
    if (found === null) continue
    evidence = { input: { ...evidence.input, ...found.input }, portrait: evidence.portrait ?? found.portrait }
    if (stage !== null) stages[stage] = deps.clock.monotonic() - startedAt
  }
  return { ...evidence, stages }
}

async function analyse(
  deps: TransactionDeps,
  engine: AnalysisEngine,
  analysisCase: AnalysisCase,
  signal: AbortSignal,
): Promise<Judged> {
  const { row, key, captureKey, context } = analysisCase
  const config = parseConfig(row)
  const { device_policy, fraud_policy, test } = config
  const expected_data = decryptExpectedData(key, row)
  if (test !== null) playScriptedFailure(deps, row, test)
  const startedAt = deps.clock.monotonic()
  const images = listHeldCaptures(context).map(({ reference }) => reference)
  const getContent = await deps.captures.read(captureKey, [...images, ...listReports(context)])
  const captured = await createAnalysisRequest(deps, analysisCase, getContent)
  const capturedAt = deps.clock.monotonic()
  const evidence = await readEvidence(deps, { key: captureKey, context, config, now: actorNow(deps, row) })
  const seeks_expected = config.document_policy.unknown_document === 'MATCH_EXPECTED' && expected_data !== null
  const { portrait } = evidence
  const request = { ...captured, seeks_expected, ...(portrait === null ? {} : { signed_portrait: portrait }) }
  const scene =
    test === null
      ? {
          findings: takesFace(context) ? await engine.analyse(request, signal) : noFindings,
          ...toDeviceKnowledge(deps, getContent, context),
        }
      : createScriptedScene(
          selectScripted(test, analysisCase, actorNow(deps, row)),
          request,
          expected_data,
          isoDate(actorNow(deps, row)),
        )
  const analysedAt = deps.clock.monotonic()
  const compared = await compareCase(deps, analysisCase, config, scene, engine.copies ?? null)
  const comparedAt = deps.clock.monotonic()
  const decided_at = actorNow(deps, row)
  const given: JudgeInput = {
    ...evidence.input,
    ...scene,
    transaction_type: toIdentityType(context.transaction_type),
    device_policy,
    fraud_policy,
    document_policy: config.document_policy,
    ...compared.input,
    expected_data,
    today: isoDate(decided_at),
    earliest_day: findEarliestDay(decided_at),
    liveness_attempts: context.challenge === null ? null : context.takes.challenge,
  }
  const { judgement, findings } = judgeCase(given, config)
  const stages = {
    captures: capturedAt - startedAt,
    ...evidence.stages,
    duplicates: comparedAt - analysedAt,
    judgement: deps.clock.monotonic() - comparedAt,
  }
  const { template } = judgement
  const enrolment = template === null ? [] : await deps.comparison.enrol(row, config, template)
  return {
    judgement,
    findings,
    compared,
    enrolment,
    decided_at,
    stages,
  }
}

/** Converts an error to one whose code decides, in the chart, whether to try again. */
function toJobError(error: unknown, engine: EngineName): unknown {
  if (error instanceof EngineUnavailableError) return unavailable(error.message)
  if (error instanceof AnalysisError) {
    const detail = { engine: error.engine ?? engine, stage: error.stage }
    return new JobError('ANALYSIS_ERROR', error.message, { cause: error, detail })
  }
  if (error instanceof UnreadableCaptureError || error instanceof DecryptionError)
    return new JobError('CAPTURE_UNREADABLE', error.message, { cause: error, detail: { stage: 'captures' } })
  return error
}

/** Analyses a transaction's captures and judges them. Analyses of single captures that still run are awaited first. */
export function analysisHandler(
  deps: TransactionDeps,
  engine: AnalysisEngine,
  slots: () => number,
  settleCaptures: (transaction_id: string) => Promise<void>,
): AnalysisHandler<'analysis'> {
  return {
    queue: 'analysis',
    lanes: createAccountTurns(deps.clock.now),
    slots: countFreeSlots('admission', slots),
    async handle({ actor_id }, signal) {
      await settleCaptures(actor_id)
      const row = await readFirst(deps.store, {
        sql: selectForAnalysis,
        values: [actor_id],
        columns: columnsWithCustomer,
      })
      if (row === null) throw new JobError('CAPTURE_UNREADABLE', 'the transaction is gone')
      // The erasure will end the transaction.
      if (row.data_key === null) throw unavailable('the customer is being erased')
      requireKnownChart(deps.definition, row)
      try {
        const held = { ...row, data_key: row.data_key }
        const keys = { key: openDataKey(deps, held), captureKey: openCaptureKey(deps, held) }
        const analysisCase: AnalysisCase = { row: held, ...keys, context: parseContext(row) }
        return toJobResult(deps, analysisCase, await analyse(deps, engine, analysisCase, signal))
      } catch (error) {
        throw toJobError(error, engine.engine)
      }
    },
  }
}
