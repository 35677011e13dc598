import type { EngineFindings } from '@attestor/rules'
import { createApprovedFace, createApprovedFindings } from '../../../src/engines/scripted.ts'
import type { AnalysisRequest } from '../port.ts'

/** Returns findings in the selfie of another person, which must be rejected as `FACE_MISMATCH`. */
export function createOtherPersonFindings(request: AnalysisRequest): EngineFindings {
  return {
    ...createApprovedFindings(request),
    face: { ...createApprovedFace(request), distance: 0.82, similarity: { score: 0.013, threshold: 0.809 } },
  }
}

/** Returns findings that show neither the same person nor another. */
export function createInconclusiveFindings(request: AnalysisRequest): EngineFindings {
  return {
    ...createApprovedFindings(request),
    face: { ...createApprovedFace(request), distance: 0.56, similarity: { score: 0.589, threshold: 0.809 } },
  }
}

/** Returns findings of a challenge that was not followed. */
export function createIdleFindings(request: AnalysisRequest): EngineFindings {
  const findings = createApprovedFindings(request)
  const { liveness } = findings
  if (liveness === null) throw new Error('no challenge')
  const challenge = liveness.challenge.map(one => ({ ...one, passed: false }))
  return { ...findings, liveness: { ...liveness, challenge } }
}
