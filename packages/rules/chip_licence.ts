import { conclude, type RuleResult } from './decision.ts'
import type { ChipLicence, PrintField, PrintReading } from './findings.ts'
import { createIssue } from './issues.ts'
import { compareGivenNames, compareSurnames, misreadNameFrom, nameThreshold } from './names.ts'

/** The page’s agreement with a field of the chip. `OPEN`: the field was not read, or may be misread. */
type Answer = 'SAME' | 'DIFFERENT' | 'OPEN'

function keepSigns(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '')
}

/** Some states print the count of editions after the number. */
function isSameNumber(one: string, other: string): boolean {
  const [chip, page] = [keepSigns(one), keepSigns(other)]
  return chip !== '' && page !== '' && (chip.startsWith(page) || page.startsWith(chip))
}

function compareNames(field: 'last_name' | 'first_name', one: string, other: string): Answer {
  const score = (field === 'last_name' ? compareSurnames : compareGivenNames)(one, other)
  if (score === null) return 'OPEN'
  if (score >= nameThreshold) return 'SAME'
  return score < misreadNameFrom ? 'DIFFERENT' : 'OPEN'
}

function compareField(field: PrintField, chip: ChipLicence, page: PrintReading): Answer {
  const [one, other] = [chip[field], page[field]]
  if (one === null || other === null) return 'OPEN'
  const exact = field === 'document_number' ? isSameNumber(one, other) : one === other
  const isName = field === 'last_name' || field === 'first_name'
  const answer = isName ? compareNames(field, one, other) : exact ? 'SAME' : 'DIFFERENT'
  // One reading of print alone accuses nobody.
  return answer === 'DIFFERENT' && !page.confirmed.includes(field) ? 'OPEN' : answer
}

const compared = ['document_number', 'date_of_birth', 'expiry_date', 'last_name', 'first_name'] as const

/**
 * The chip of a driving licence against the fields that were read of its page. Number and date of birth must be there: the
 * chip of another licence could lie beside it.
 */
export function checkLicenceOfChip(chip: ChipLicence, page: PrintReading | null): RuleResult {
  const open = conclude('chip_zone', 'UNDETERMINED', [
    createIssue('CHIP_NOT_EVALUABLE', { reasons: ['ZONE_NOT_READ'] }),
  ])
  if (page === null) return open
  const answers = compared.map(field => ({ field, answer: compareField(field, chip, page) }))
  const different = answers.filter(({ answer }) => answer === 'DIFFERENT').map(({ field }) => field)
  if (different.length > 0)
    return conclude('chip_zone', 'REJECTED', [createIssue('CHIP_DATA_MISMATCH', { fields: different })])
  const same = answers.filter(({ answer }) => answer === 'SAME').map(({ field }) => field)
  return same.includes('document_number') && same.includes('date_of_birth') ? conclude('chip_zone', 'PASSED') : open
}
