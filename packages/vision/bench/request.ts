import type { AnalysisRequest } from '../port.ts'

/** A request of which only what is given was captured. */
export function requestOf(captured: Partial<AnalysisRequest>): AnalysisRequest {
  return {
    transaction_id: 'bench',
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    document_front: null,
    document_back: null,
    selfie: null,
    challenge: null,
    enrolled_face: null,
    ...captured,
  }
}
