import type { RuleResult, SectionStatus } from './decision.ts'
import { conclude, type JudgedSection, sectionStatus } from './decision.ts'
import { checkExpiry, type EvaluationDays, type ExpectedData } from './document_checks.ts'
import type { DocumentPolicy } from './document_policy.ts'
import type { DocumentData } from './document_rules.ts'
import { checkSource } from './document_source.ts'
import { checkCompleteness, checkExpected, checkPrinted } from './expected_checks.ts'
import type { Holder } from './holder.ts'
import { createIssue, type Issue, type IssueCode } from './issues.ts'
import type { WalletCheck, WalletCheckName, WalletClaim, WalletFindings } from './wallet_findings.ts'

const failures: Readonly<Record<WalletCheckName, IssueCode>> = {
  answer: 'WALLET_NOT_EVALUABLE',
  binding: 'WALLET_BINDING_INVALID',
  signature: 'WALLET_SIGNATURE_INVALID',
  issuer: 'WALLET_SIGNATURE_INVALID',
  validity: 'WALLET_OUT_OF_TIME',
  revocation: 'WALLET_REVOKED',
}

function toResult({ name, status, reason }: WalletCheck): RuleResult {
  const rule = `wallet_${name}`
  if (status === 'PASSED') return conclude(rule, 'PASSED')
  const details = reason === null ? undefined : { reasons: [reason] }
  if (status === 'FAILED' && name !== 'answer')
    return conclude(rule, 'REJECTED', [createIssue(failures[name], details)])
  const code = name === 'issuer' ? 'WALLET_ISSUER_UNKNOWN' : 'WALLET_NOT_EVALUABLE'
  return conclude(rule, 'UNDETERMINED', [createIssue(code, details)])
}

/** The rules of what proves a wallet's answer, whatever it says. */
export function checkWallet({ checks }: WalletFindings): readonly RuleResult[] {
  return checks.map(toResult)
}

/** Whether all that is checked of a wallet's answer has passed. */
export function isWalletProven({ checks }: WalletFindings): boolean {
  return checks.length > 0 && checks.every(({ status }) => status === 'PASSED')
}

/**
 * Asked claims without which a document says too little: who withholds the expiry could hide that it is over. ISO/IEC
 * 18013-5 and the rules of the EU's PID demand it of every issuer; a document without a number may leave that out.
 */
const neededClaims: readonly WalletClaim[] = ['last_name', 'first_name', 'date_of_birth', 'expiry_date']

function checkDisclosure({ withheld }: WalletFindings): RuleResult {
  const fields = neededClaims.filter(claim => withheld.includes(claim))
  if (fields.length === 0) return conclude('wallet_disclosure', 'PASSED')
  return conclude('wallet_disclosure', 'UNDETERMINED', [createIssue('DOCUMENT_INCOMPLETE', { fields })])
}

/** Returns the holder as the issuer has signed it. Data that was not requested counts as not printed. */
function toWalletHolder({ document_type, claims }: WalletFindings): Holder {
  const names = (['last_name', 'first_name', 'date_of_birth', 'expiry_date'] as const).filter(
    field => claims[field] === null,
  )
  return {
    document_type,
    issuing_country: claims.issuing_country,
    nationality: claims.nationality,
    document_number: claims.document_number,
    personal_number: claims.personal_number,
    first_name: claims.first_name,
    last_name: claims.last_name,
    date_of_birth: claims.date_of_birth,
    sex: claims.sex,
    issue_date: claims.issue_date,
    expiry_date: claims.expiry_date,
    possiblyValidUntil: null,
    not_printed: names,
    partial_birth: null,
    truncated: [],
  }
}

/** Each code once, with all its reasons or fields. */
function mergeIssues(issues: readonly Issue[]): Issue[] {
  return [...Map.groupBy(issues, ({ code }) => code)].map(([, [first, ...others]]) => {
    const issue = first as Issue
    const lists = (['reasons', 'fields'] as const).flatMap(name => {
      const all = [issue, ...others].flatMap(({ details }) => (details?.[name] as string[] | undefined) ?? [])
      return all.length === 0 ? [] : [[name, [...new Set(all)]] as const]
    })
    return lists.length === 0 ? issue : { ...issue, details: { ...issue.details, ...Object.fromEntries(lists) } }
  })
}

/** Judges a wallet's answer in place of a document's pictures. */
export function judgeWallet(
  wallet: WalletFindings,
  expected: ExpectedData,
  days: EvaluationDays,
  { refused_sources }: Pick<DocumentPolicy, 'refused_sources'>,
): JudgedSection<DocumentData> {
  const found = checkWallet(wallet)
  const holder = toWalletHolder(wallet)
  const compared = checkExpected(holder, expected)
  const results = [
    ...found,
    checkDisclosure(wallet),
    checkSource('WALLET', refused_sources),
    checkExpiry(holder, days),
    ...compared,
    ...checkPrinted(holder),
    checkCompleteness(holder, compared),
  ]
  const { truncated: _, possiblyValidUntil: __, not_printed: ___, partial_birth: ____, ...data } = holder
  const statuses = found.map(({ check }) => check.status)
  return {
    section: {
      status: sectionStatus(results.map(({ check }) => check.status)),
      data: {
        engine: null,
        source: 'WALLET',
        ...data,
        mrz: null,
        checks: results.map(({ check }) => check),
        wallet: {
          status: sectionStatus(statuses),
          format: wallet.format,
          credential_type: wallet.credential_type,
          checks: found.map(({ check: { name, status } }) => ({ name, status: status as SectionStatus })),
          disclosed: wallet.disclosed,
          withheld: wallet.withheld,
        },
      },
    },
    issues: mergeIssues(results.flatMap(({ issues }) => issues)),
    results,
  }
}
