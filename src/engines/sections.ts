import type { EngineFindings, EngineName } from '../decision/findings.ts'
import {
  type AnalysisEngine,
  AnalysisError,
  type AnalysisRequest,
  type EngineSection,
  EngineUnavailableError,
  engineSections,
} from './port.ts'

/** The engine of each section. An engine of several sections is called once for all of them. */
export type EngineOfSection = Readonly<Record<EngineSection, AnalysisEngine>>

const composedName: EngineName = { name: 'sections', version: '1' }

/** The sections that a transaction of this type has. */
const listSections = ({ transaction_type }: AnalysisRequest): readonly EngineSection[] =>
  transaction_type === 'BIOMETRIC_ONLY' ? ['liveness', 'face'] : engineSections

export const selectSections = (
  sections: readonly EngineSection[],
  request: AnalysisRequest,
): readonly EngineSection[] => sections.filter(section => listSections(request).includes(section))

/** Removes what these sections do not need: no engine gets more than its part. */
export const narrowRequest = (request: AnalysisRequest, sections: readonly EngineSection[]): AnalysisRequest => {
  const needs = (...wanted: readonly EngineSection[]): boolean => wanted.some(section => sections.includes(section))
  const onboarding = listSections(request).includes('document')
  const document = onboarding && needs('document', 'face')
  return {
    ...request,
    document_front: document ? request.document_front : null,
    document_back: document ? request.document_back : null,
    selfie: needs('liveness', 'face') ? request.selfie : null,
    challenge: needs('liveness') ? request.challenge : null,
    enrolled_face: needs('face') && !onboarding ? request.enrolled_face : null,
  }
}

const mergeFindings = (
  parts: readonly { sections: readonly EngineSection[]; findings: EngineFindings }[],
): EngineFindings => {
  const own = parts.flatMap(({ sections, findings }) => sections.map(section => [section, findings[section]]))
  const stages = Object.assign({}, ...parts.map(({ findings }) => findings.stages)) as EngineFindings['stages']
  return { document: null, liveness: null, face: null, ...Object.fromEntries(own), stages }
}

/** Adds the engine to a failure. An unavailable engine is none. */
const nameEngine = (error: unknown, engine: EngineName): unknown =>
  error instanceof AnalysisError && !(error instanceof EngineUnavailableError)
    ? new AnalysisError(error.message, { cause: error, engine: error.engine ?? engine, stage: error.stage })
    : error

/**
 * Combines several engines. They work at the same time, and findings name their engine. The analysis fails if one of them
 * does, once the others have ended: an aborted local engine would lose its process.
 */
export const sectionedEngine = (engines: EngineOfSection): AnalysisEngine => {
  const parts = [...new Set(Object.values(engines))].map(engine => ({
    engine,
    sections: engineSections.filter(section => engines[section] === engine),
  }))
  return {
    engine: composedName,
    ready: Promise.all(parts.map(({ engine }) => engine.ready)).then(() => {}),
    async processes() {
      const all = await Promise.all(parts.map(({ engine }) => engine.processes()))
      return all.find(processes => processes !== null) ?? null
    },
    capacity: () => Math.min(...parts.map(({ engine }) => engine.capacity())),
    async analyse(request, signal) {
      const asked = parts
        .map(({ engine, sections }) => ({ engine, sections: selectSections(sections, request) }))
        .filter(({ sections }) => sections.length > 0)
      const outcomes = await Promise.allSettled(
        asked.map(async ({ engine, sections }) => ({
          sections,
          findings: await engine.analyse(narrowRequest(request, sections), signal).catch(error => {
            throw nameEngine(error, engine.engine)
          }),
        })),
      )
      const failed = outcomes.find(outcome => outcome.status === 'rejected')
      if (failed !== undefined) throw failed.reason
      return mergeFindings(outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : [])))
    },
    async stop() {
      await Promise.all(parts.map(({ engine }) => engine.stop()))
    },
  }
}
