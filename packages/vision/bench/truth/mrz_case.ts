import type { DocumentFindings } from '@attestor/rules'
import { readSides } from '../../document/read_sides.ts'
import { judgedAgainst } from './accepted.ts'
import type { Case, Outcome } from './cases.ts'
import { takingOf } from './conditions.ts'
import { printDocument } from './documents.ts'
import { photographSide } from './photo.ts'
import { measured } from './stopwatch.ts'
import type { Truth } from './truth.ts'

/** Looks at the side with the zone as the production reader does, and judges it as if its portrait had been found. */
export async function lookAtZone(photo: Buffer) {
  const { result, cpu_ms } = await measured(() => readSides(photo, null))
  const evidence: DocumentFindings = {
    ...result.findings,
    engine: { name: 'bench', version: '1' },
    portrait_found: true,
    missing_side: null,
  }
  return { evidence, cpu_ms }
}

/** Compares a reading with the print. */
export function zoneOutcome(lines: readonly string[], truth: Truth, evidence: DocumentFindings) {
  const { checks, detail } = judgedAgainst(truth, evidence)
  const read = evidence.mrz?.lines ?? []
  const exact = read.join('\n') === lines.join('\n')
  return {
    checks: { exact: lines.length === 0 ? null : exact, refused: evidence.mrz === null, ...checks },
    detail:
      exact && !checks.wrong_but_accepted && checks.rejected !== true
        ? {}
        : { ...detail, reading: evidence.reading, printed: lines, read },
  }
}

/** Prints a document and photographs the side with the zone, in grey: its reader looks at nothing else. */
export async function photographZone(one: Case) {
  if (one.format === 'AAMVA') throw new Error('a licence has no zone')
  const bad_print = one.condition === 'bad_print'
  const document = printDocument({ seed: one.seed, format: one.format, portrait: null, bad_print })
  const how = takingOf(one.condition, one.seed)
  const { photo } = await photographSide(document.back ?? document.front, how, one.seed, 1)
  return { document, how, photo }
}

/** Measures the reading of a photographed zone. */
export async function measureZone(one: Case): Promise<Outcome> {
  const { document, how, photo } = await photographZone(one)
  const { evidence, cpu_ms } = await lookAtZone(photo)
  const { checks, detail } = zoneOutcome(document.zone.lines, document.truth, evidence)
  return { ...one, checks, cpu_ms: { zone: cpu_ms }, detail: 'printed' in detail ? { ...detail, how } : {} }
}
