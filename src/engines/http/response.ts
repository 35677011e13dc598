import type { EngineFindings, ReportedCode } from '@attestor/rules'
import { type AnalysisRequest, type EngineSection, engineSections } from '@attestor/vision'
import { type EngineResponse, responseSchema } from './response_schema.ts'

export type ReadCode = (code: string) => ReportedCode | null

/** The actions must be those of the challenge, in order, or none. */
function matchesChallenge(section: NonNullable<EngineResponse['liveness']>, { challenge }: AnalysisRequest): boolean {
  return (
    section.challenge.length === 0 || section.challenge.map(step => step.action).join() === challenge?.actions.join()
  )
}

/** The rule that a well-formed response breaks, or null. */
function findContradiction(
  answer: EngineResponse,
  request: AnalysisRequest,
  asked: readonly EngineSection[],
): string | null {
  const { transaction_id = request.transaction_id } = answer
  if (transaction_id !== request.transaction_id) return 'transaction_id: is another transaction’s'
  const missing = asked.find(section => answer[section] === undefined)
  if (missing !== undefined) return `${missing}: is missing`
  if (asked.includes('liveness') && answer.liveness && !matchesChallenge(answer.liveness, request))
    return 'liveness.challenge: is not the one that was asked'
  const { accept_below = 0, reject_above = 0 } = answer.face ?? {}
  return asked.includes('face') && accept_below > reject_above ? 'face.accept_below: is above reject_above' : null
}

/** Corrects the response: a face that was not sent can't have been compared, and one of another model is outdated. */
function correctReference(section: EngineResponse, { enrolled_face }: AnalysisRequest): EngineResponse {
  const { face } = section
  if (face?.reference !== 'ENROLLED_FACE') return section
  if (enrolled_face === null) return { ...section, face: { ...face, reference: null } }
  const ofOtherModel = face.template !== null && face.template.model !== enrolled_face.model
  return { ...section, face: { ...face, reference_outdated: face.reference_outdated || ofOtherModel } }
}

/** A response that matches its request. */
export interface ParsedResponse {
  readonly findings: Omit<EngineFindings, 'stages'>
  readonly kept: string | null
}

/** The findings of the sections asked for. @throws {Error} naming the first member that is wrong */
export function parseResponse(
  body: unknown,
  request: AnalysisRequest,
  asked: readonly EngineSection[],
  readCode: ReadCode,
): ParsedResponse {
  const parsed = responseSchema.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(`${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'is malformed'}`)
  }
  const broken = findContradiction(parsed.data, request, asked)
  if (broken !== null) throw new Error(broken)
  const response = correctReference(parsed.data, request)
  const findings = engineSections.map(name => {
    const section = asked.includes(name) ? response[name] : undefined
    if (section === undefined) return [name, null]
    const { codes: reported, ...own } = section
    return [name, { ...own, reported: reported.flatMap(code => readCode(code) ?? []) }]
  })
  return { findings: Object.fromEntries(findings) as ParsedResponse['findings'], kept: response.kept ?? null }
}
