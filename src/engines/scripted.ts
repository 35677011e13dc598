import type {
  DocumentFindings,
  EngineFindings,
  EngineName,
  FaceFindings,
  FaceTemplate,
  LivenessFindings,
  MrzReading,
} from '@attestor/rules'
import {
  type AnalysisEngine,
  AnalysisError,
  type AnalysisRequest,
  type CaptureAnalysis,
  type CaptureRequest,
  EngineUnavailableError,
} from '@attestor/vision'

export const scriptedEngineName: EngineName = { name: 'scripted', version: '1' }

/** The findings of a request. An error fails the analysis. */
export type Script = (request: AnalysisRequest) => EngineFindings | Promise<EngineFindings>

/** The findings in one capture. An error fails its analysis. */
export type CaptureScript = (request: CaptureRequest) => CaptureAnalysis | Promise<CaptureAnalysis>

/** An engine that reads no image, for tests, benches and test mode. Without a script for captures it can't analyse them. */
export function scriptedEngine(script: Script, captureScript: CaptureScript | null = null): AnalysisEngine {
  let stopped = false
  const stopping = Promise.withResolvers<never>()
  stopping.promise.catch(() => {})
  return {
    engine: scriptedEngineName,
    ready: Promise.resolve(),
    processes: async () => null,
    capacity: () => (stopped ? 0 : Number.POSITIVE_INFINITY),
    analyse: async (request, signal) => {
      if (stopped) throw new AnalysisError('the engine is stopped')
      if (signal.aborted) throw new AnalysisError('the analysis was aborted')
      const aborted = Promise.withResolvers<never>()
      const abort = (): void => aborted.reject(new AnalysisError('the analysis was aborted'))
      signal.addEventListener('abort', abort)
      try {
        return await Promise.race([script(request), aborted.promise])
      } catch (error) {
        throw error instanceof AnalysisError ? error : new AnalysisError(String(error), { cause: error })
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
    ...(captureScript && {
      analyseCapture: (request: CaptureRequest) =>
        Promise.race([(async () => captureScript(request))(), stopping.promise]),
    }),
    stop: async () => {
      stopped = true
      stopping.reject(new EngineUnavailableError('the engine is stopped'))
    },
  }
}

/** The specimen passport of ICAO 9303-4, whose holder does not exist, with a later expiry. */
export const specimenMrz: MrzReading = {
  format: 'TD3',
  lines: ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F4904151ZE184226B<<<<<14'],
  valid: true,
  corrected_characters: 0,
  document_code: 'P',
  issuing_state: 'UTO',
  nationality: 'UTO',
  document_number: 'L898902C3',
  personal_number: 'ZE184226B',
  last_name: 'ERIKSSON',
  first_name: 'ANNA MARIA',
  date_of_birth: '740812',
  expiry_date: '490415',
  sex: 'F',
  check_digits: ['document_number', 'date_of_birth', 'expiry_date', 'personal_number', 'composite'].map(name => ({
    name,
    passed: true,
  })),
}

export const approvedDocument: DocumentFindings = {
  engine: scriptedEngineName,
  reading: 'READ',
  mrz: specimenMrz,
  portrait_found: true,
  sides_match: null,
  visual_surname: null,
  glare: null,
}

/** Every action of the challenge passed, by a solid head and one person. Without a challenge, both turns. */
function createApprovedLiveness(request: AnalysisRequest): LivenessFindings {
  return {
    engine: scriptedEngineName,
    method: 'ACTIVE',
    challenge: (request.challenge?.actions ?? ['TURN_LEFT', 'TURN_RIGHT']).map(action => ({ action, passed: true })),
    planarity: { score: 0.11, threshold: 0.05 },
    continuity: { score: 0.31, threshold: 0.62 },
  }
}

export const scriptedFace: FaceTemplate = { model: 'scripted', values: [0.6, 0.8] }

/** One usable face, the same person as the reference that the transaction's type asks for. */
export function createApprovedFace(request: AnalysisRequest): FaceFindings {
  return {
    engine: scriptedEngineName,
    faces_in_selfie: 1,
    face_width: 360,
    usable: true,
    reference: request.transaction_type === 'BIOMETRIC_ONLY' ? 'ENROLLED_FACE' : 'DOCUMENT',
    distance: 0.31,
    accept_below: 0.5,
    reject_above: 0.6,
    similarity: { score: 0.992, threshold: 0.809 },
    same_picture: false,
    reference_outdated: false,
    template: scriptedFace,
  }
}

export function createApprovedFindings(request: AnalysisRequest): EngineFindings {
  return {
    document: request.transaction_type === 'BIOMETRIC_ONLY' ? null : approvedDocument,
    liveness: createApprovedLiveness(request),
    face: createApprovedFace(request),
    stages: { document: 1, portrait: 1, selfie: 1, liveness: 1 },
  }
}
