import type { AnalysisRequest } from '../port.ts'

/** Returns a request in which only the given images were captured. */
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
