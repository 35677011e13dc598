import { createHash } from 'node:crypto'
import type { DocumentFindings, EngineFindings } from '@attestor/rules'
import { judgeDocument } from '@attestor/rules/testing'
import { judgedAgainst } from './accepted.ts'
import type { Outcome } from './cases.ts'
import { holderChecks } from './document_case.ts'
import type { DocumentLabel } from './labels.ts'
import { today } from './people.ts'
import type { Truth } from './truth.ts'

/**
 * The checks that show whether a zone is taken for the printed one: specimens have expired, and are refused for that
 * too.
 */
const readingChecks = ['legibility', 'document_type', 'mrz_check_digits', 'mrz_codes']

function isTaken(evidence: DocumentFindings): boolean {
  const { section } = judgeDocument(evidence, {}, today)
  const checks = section.data?.checks ?? []
  return (
    evidence.mrz !== null &&
    checks.every(
      ({ name, status }) => !readingChecks.includes(name) || status === 'PASSED' || status === 'NOT_EXECUTED',
    )
  )
}

function sha256(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

/** Returns whether the zone came out as printed; null for a document that has none. */
function isExact({ mrz, mrz_sha256 }: DocumentLabel, read: readonly string[]): boolean | null {
  const expected = mrz_sha256 ?? (mrz === undefined ? null : sha256(mrz))
  return expected === null ? null : sha256(read) === expected
}

/** Returns a check that means something under a condition only; otherwise null. */
function where(applies: boolean, found: boolean | null): boolean | null {
  return applies ? found : null
}

/**
 * Returns the outcome of a labelled picture: a sound and legible zone counts by itself, a malformed one by being taken
 * at all.
 */
export function pictureOutcome(label: DocumentLabel, evidence: EngineFindings): Pick<Outcome, 'checks' | 'detail'> {
  const { document } = evidence
  if (document === null) throw new Error('the engine said nothing of the document')
  const { checks, detail } = judgedAgainst(label.fields as Truth, document)
  const exact = isExact(label, document.mrz?.lines ?? [])
  const sound = label.legible && !label.malformed && exact !== null
  const taken = isTaken(document)
  const wrong = taken && exact !== true
  const copy = detail.issues.includes('DOCUMENT_COPY_SUSPECTED')
  const { monochrome, portrait } = label
  return {
    checks: {
      exact: where(sound, exact),
      wrong_and_taken: wrong,
      not_read: where(sound, document.mrz === null),
      malformed_taken: where(label.malformed, taken),
      malformed_wrong: where(label.malformed, wrong),
      copy_suspected: where(monochrome, copy),
      colour_suspected: where(!monochrome, copy),
      portrait_found: where(portrait && document.mrz !== null, document.portrait_found),
      surname_mismatch: where(document.mrz !== null, detail.issues.includes('SURNAME_MISMATCH')),
      wrong_but_accepted: where(Object.keys(label.fields).length > 0, checks.wrong_but_accepted),
      ...holderChecks(evidence),
    },
    detail: exact === true && !copy ? {} : { ...detail, taken, read: document.mrz?.lines ?? [] },
  }
}
