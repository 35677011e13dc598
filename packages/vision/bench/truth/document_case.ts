import type { EngineFindings } from '@attestor/rules'
import { judgeFace } from '@attestor/rules/testing'
import type { Case, Outcome } from './cases.ts'
import { takingOf } from './conditions.ts'
import { type PrintedDocument, printDocument, type Side } from './documents.ts'
import { look } from './engine.ts'
import { headOf, issuedPortrait, selfieOf } from './heads.ts'
import { printLicence } from './licence.ts'
import { zoneOutcome } from './mrz_case.ts'
import { photographSide } from './photo.ts'

/** Returns the result of a comparison, from which false matches and false non-matches are counted. */
export function comparison(evidence: EngineFindings, type: 'DOCUMENT_AND_BIOMETRIC' | 'BIOMETRIC_ONLY') {
  return judgeFace(evidence.face, type).section.status
}

/** Returns the outcome of a document: its reading, and whether its portrait was found. */
export function documentOutcome(
  { zone, truth }: Pick<PrintedDocument, 'truth'> & { readonly zone: { readonly lines: readonly string[] } },
  evidence: EngineFindings,
): Pick<Outcome, 'checks' | 'detail'> {
  if (evidence.document === null) throw new Error('the engine said nothing of the document')
  const { checks, detail } = zoneOutcome(zone.lines, truth, evidence.document)
  return { checks: { ...checks, portrait_found: evidence.document.portrait_found }, detail }
}

/** Returns whether the selfie was taken for the holder's; null if there was nothing to compare. */
export function holderChecks(evidence: EngineFindings): Pick<Outcome['checks'], 'holder_passed' | 'holder_rejected'> {
  const compared = evidence.face != null && evidence.face.distance !== null
  const status = comparison(evidence, 'DOCUMENT_AND_BIOMETRIC')
  return {
    holder_passed: compared ? status === 'PASSED' : null,
    holder_rejected: compared ? status === 'REJECTED' : null,
  }
}

async function documentOf({ seed, format, condition }: Case, portrait: Buffer): Promise<PrintedDocument> {
  return format === 'AAMVA'
    ? printLicence(seed, portrait)
    : printDocument({ seed, format, portrait, bad_print: condition === 'bad_print' })
}

/**
 * Measures a whole onboarding without its challenge: both sides of a document, its holder's selfie and an impostor's.
 */
export async function measureDocument(one: Case): Promise<Outcome> {
  const head = one.seed % 1000
  const portrait = await issuedPortrait(headOf(head), one.seed)
  const document = await documentOf(one, portrait)
  const shot = async (side: Side, salt: number): Promise<Buffer> =>
    (await photographSide(side, takingOf(one.condition, one.seed + salt), one.seed + salt)).photo
  const document_front = await shot(document.front, 0)
  const document_back = document.back === null ? null : await shot(document.back, 500_000)
  const typical = { condition: 'typical' as const, seed: one.seed }
  const evidence = await look({ document_front, document_back, selfie: await selfieOf(headOf(head), {}, typical) })
  const impostor = await look({ document_front, document_back, selfie: await selfieOf(headOf(head + 1), {}, typical) })
  const { checks, detail } = documentOutcome(document, evidence)
  const holder = holderChecks(evidence)
  const other = comparison(impostor, 'DOCUMENT_AND_BIOMETRIC')
  return {
    ...one,
    checks: { ...checks, ...holder, impostor_passed: holder.holder_passed === null ? null : other === 'PASSED' },
    cpu_ms: evidence.stages,
    detail: { ...detail, head, distance: evidence.face?.distance, impostor: impostor.face?.distance },
  }
}
