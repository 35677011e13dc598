import type {
  DocumentFindings,
  EngineFindings,
  FaceFindings,
  LivenessFindings,
  ReportedCode,
} from '../../decision/findings.ts'
import { type AnalysisRequest, type EngineSection, engineSections } from '../port.ts'
import { type EngineResponse, responseSchema } from './response_schema.ts'

/** How a code of the service's is understood here. */
export type ReadCode = (code: string) => ReportedCode | null

/** A challenge that was answered is judged action by action: a list of other actions is about something else. */
const matchesChallenge = (told: NonNullable<EngineResponse['liveness']>, { challenge }: AnalysisRequest): boolean =>
  told.challenge.length === 0 || told.challenge.map(step => step.action).join() === challenge?.actions.join()

/** The rule that an answer breaks although each of its members is well-formed, or null. */
const findContradiction = (
  answer: EngineResponse,
  request: AnalysisRequest,
  asked: readonly EngineSection[],
): string | null => {
  const { transaction_id = request.transaction_id } = answer
  if (transaction_id !== request.transaction_id) return 'transaction_id: is another transaction’s'
  const missing = asked.find(section => answer[section] === undefined)
  if (missing !== undefined) return `${missing}: is missing`
  if (asked.includes('liveness') && answer.liveness && !matchesChallenge(answer.liveness, request))
    return 'liveness.challenge: is not the one that was asked'
  const { accept_below = 0, reject_above = 0 } = answer.face ?? {}
  return asked.includes('face') && accept_below > reject_above ? 'face.accept_below: is above reject_above' : null
}

/** Whatever a service says: a face that was not sent was not compared, and one of another model means nothing to it. */
const correctReference = (told: EngineResponse, { enrolled_face }: AnalysisRequest): EngineResponse => {
  const { face } = told
  if (face?.reference !== 'ENROLLED_FACE') return told
  if (enrolled_face === null) return { ...told, face: { ...face, reference: null } }
  const ofOtherModel = face.template !== null && face.template.model !== enrolled_face.model
  return { ...told, face: { ...face, reference_outdated: face.reference_outdated || ofOtherModel } }
}

/** Evidence of the sections asked for. Throws an Error whose message names the first member that is wrong. */
export const parseResponse = (
  body: unknown,
  request: AnalysisRequest,
  asked: readonly EngineSection[],
  readCode: ReadCode,
): Omit<EngineFindings, 'stages'> => {
  const parsed = responseSchema.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(`${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'is malformed'}`)
  }
  const broken = findContradiction(parsed.data, request, asked)
  if (broken !== null) throw new Error(broken)
  const answer = correctReference(parsed.data, request)
  const findings = engineSections.map(section => {
    const told = asked.includes(section) ? answer[section] : undefined
    if (told === undefined) return [section, null]
    const { codes: reported, ...own } = told
    return [section, { ...own, reported: reported.flatMap(code => readCode(code) ?? []) }]
  })
  return Object.fromEntries(findings) as {
    document: DocumentFindings | null
    liveness: LivenessFindings | null
    face: FaceFindings | null
  }
}
