import { checkLicenceOfChip } from './chip_licence.ts'
import type { RuleResult, SectionStatus } from './decision.ts'
import { conclude, sectionStatus } from './decision.ts'
import type { ChipCheck, ChipCheckName, ChipFindings, ChipReason, MrzReading, PrintReading } from './findings.ts'
import { createIssue, type IssueCode } from './issues.ts'
import { compareGivenNames, compareSurnames, foldName, nameThreshold } from './names.ts'
import type { ChipAbsence } from './words.ts'

/** The ways in which a transaction treats a chip. */
export const chipPolicies = ['IGNORE', 'PREFER', 'REQUIRE'] as const

export type ChipPolicy = (typeof chipPolicies)[number]

/** The result of reading a document's chip. Null: the device reported nothing. */
export type ChipInput = { readonly findings: ChipFindings } | { readonly unavailable: ChipAbsence } | null

/** `document.data.chip`: absent where the policy ignores chips. */
export interface ChipData {
  readonly status: SectionStatus
  readonly checks: readonly { readonly name: string; readonly status: SectionStatus }[]
  /** From DG11; null: not on the chip, or the chip is not proven. */
  readonly place_of_birth: string | null
}

const failures: Readonly<Record<ChipCheckName, IssueCode>> = {
  files: 'CHIP_NOT_EVALUABLE',
  data_groups: 'CHIP_DATA_CHANGED',
  signature: 'CHIP_SIGNATURE_INVALID',
  issuer: 'CHIP_SIGNATURE_INVALID',
  revocation: 'CHIP_CERTIFICATE_REVOKED',
  active_authentication: 'CHIP_COPY_SUSPECTED',
}

const unknownIssuers: readonly (ChipReason | null)[] = ['NO_TRUST_ANCHOR', 'ANOTHER_STATE', 'SIGNER_UNKNOWN']

function toResult({ name, status, reason }: ChipCheck): RuleResult {
  const rule = `chip_${name}`
  if (status === 'PASSED') return conclude(rule, 'PASSED')
  if (status === 'FAILED') return conclude(rule, 'REJECTED', [createIssue(failures[name])])
  const code = unknownIssuers.includes(reason) ? 'CHIP_ISSUER_UNKNOWN' : 'CHIP_NOT_EVALUABLE'
  return conclude(rule, 'UNDETERMINED', [createIssue(code, { reasons: [reason ?? 'UNREADABLE'] })])
}

/** Fields that check digits protect in both, so that a misreading never makes them differ. */
const exactFields = ['document_number', 'date_of_birth', 'expiry_date'] as const

function haveSameName(chip: MrzReading, zone: MrzReading): boolean {
  const one = `${chip.last_name ?? ''} ${chip.first_name ?? ''}`.trim()
  const other = `${zone.last_name ?? ''} ${zone.first_name ?? ''}`.trim()
  const score = Math.max(compareSurnames(one, other) ?? 0, compareGivenNames(one, other) ?? 0)
  return score >= nameThreshold
}

/** DG1 is the zone that is printed: another chip, or another page, is a forgery. */
function checkZoneOfChip(chip: MrzReading | null, zone: MrzReading | null): RuleResult {
  // The check `chip_files` reports this.
  if (chip === null) return conclude('chip_zone', 'NOT_EXECUTED')
  // Without a zone any genuine chip could be shown beside the page of somebody else.
  if (zone === null || !zone.valid)
    return conclude('chip_zone', 'UNDETERMINED', [createIssue('CHIP_NOT_EVALUABLE', { reasons: ['ZONE_NOT_READ'] })])
  const fields = exactFields.filter(field => chip[field] !== zone[field])
  const different = [...fields, ...(haveSameName(chip, zone) ? [] : ['name'])]
  if (different.length === 0) return conclude('chip_zone', 'PASSED')
  return conclude('chip_zone', 'REJECTED', [createIssue('CHIP_DATA_MISMATCH', { fields: different })])
}

/** The reading of the picture, to which the chip must belong. */
interface ChipPage {
  readonly mrz: MrzReading | null
  readonly print: PrintReading | null
}

function checkPageOfChip({ mrz, licence }: ChipFindings, page: ChipPage): RuleResult {
  return licence == null ? checkZoneOfChip(mrz, page.mrz) : checkLicenceOfChip(licence, page.print)
}

function listResults(input: ChipInput, page: ChipPage): readonly RuleResult[] {
  if (input === null) return [conclude('chip', 'NOT_EXECUTED', [createIssue('CHIP_NOT_READ')])]
  if ('unavailable' in input)
    return [conclude('chip', 'NOT_EXECUTED', [createIssue('CHIP_NOT_READ', { reasons: [input.unavailable] })])]
  return [...input.findings.checks.map(toResult), checkPageOfChip(input.findings, page)]
}

export interface JudgedChip {
  readonly data: ChipData
  /** Data that a proven chip adds to its zone; null: it is not proven. */
  readonly details: ChipFindings['details'] | null
  readonly results: readonly RuleResult[]
  /** Section status that approval requires; null if none. */
  readonly required: SectionStatus | null
}

/**
 * Judges a chip against the zone, or the licence's fields, that were read from the picture. A chip that was not read, or not proven, only warns,
 * unless the policy requires one. Null: the policy ignores chips.
 */
export function judgeChip(
  input: ChipInput,
  mrz: MrzReading | null,
  policy: ChipPolicy,
  print: PrintReading | null = null,
): JudgedChip | null {
  if (policy === 'IGNORE') return null
  const found = listResults(input, { mrz, print })
  const status = sectionStatus(found.map(({ check }) => check.status))
  const details = status === 'PASSED' && input !== null && 'findings' in input ? input.findings.details : null
  return {
    data: {
      status,
      checks: found.map(({ check: { name, status } }) => ({ name, status: status as SectionStatus })),
      place_of_birth: details?.place_of_birth ?? null,
    },
    details,
    results: policy === 'REQUIRE' ? found : found.map(result => ({ ...result, onlyReports: true as const })),
    required: policy === 'REQUIRE' ? status : null,
  }
}

function isCutOff(name: string | null, full: string): boolean {
  const [known, whole] = [foldName(name ?? ''), foldName(full)]
  const words = whole.split(' ')
  return known !== whole && known.split(' ').every((word, at) => words[at]?.startsWith(word) === true)
}

/** Completes the page's data, if its zone cuts a name off or nothing names the day of issue. */
export function completeByChip<Data extends Pick<ChipFindings['details'], 'last_name' | 'first_name' | 'issue_date'>>(
  data: Data,
  { last_name, first_name, issue_date }: ChipFindings['details'],
): Data {
  return {
    ...data,
    ...(last_name !== null && isCutOff(data.last_name, last_name) ? { last_name } : {}),
    ...(first_name !== null && isCutOff(data.first_name, first_name) ? { first_name } : {}),
    issue_date: data.issue_date ?? issue_date,
  }
}
