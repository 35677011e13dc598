import { addYears, type Day } from './dates.ts'
import { conclude, decide, findEffect, type RuleResult, sectionStatus } from './decision.ts'
import type { DocumentSource } from './document_source.ts'
import { defaultFraudPolicy } from './fraud_policy.ts'
import { createIssue, type Issue, orderIssues } from './issues.ts'
import { type JudgeInput, type Judgement, judge, judgeDevice, type SectionResult } from './judge.ts'
import type { WalletFindings } from './wallet_findings.ts'
import { checkWallet } from './wallet_rules.ts'
import type { Decision } from './words.ts'

/** `config.age` of an AGE transaction. */
export interface AgePolicy {
  /** The age in years that the person must have reached. */
  readonly over: number
}

/** `result_data.age`: all that an AGE transaction says of a person. */
export interface AgeData extends AgePolicy {
  /** Null where neither is proven. */
  readonly is_over: boolean | null
  /** The source that it rests on; null where there was none. */
  readonly source: DocumentSource | null
}

/** `result_data` of a FINISHED AGE transaction. */
export interface AgeResultData {
  readonly decision: Decision
  readonly issues: readonly Issue[]
  readonly age: AgeData
}

/** The judged evidence, and its statement about the age. */
interface Shown {
  readonly issues: readonly Issue[]
  readonly ruleResults: readonly SectionResult[]
  readonly isProven: boolean
  readonly is_over: boolean | null
  readonly source: DocumentSource | null
}

/** Born on a leap day, a person is older from the first of March on. */
function hasReached(date_of_birth: Day, over: number, today: Day): boolean {
  return addYears(date_of_birth, over) <= today
}

/** An issuer may answer for another age: over 21 is over 18, and not over 16 is not over 18. */
function findAnswer({ ages }: WalletFindings, over: number): boolean | null {
  if (ages.some(age => age.answer && age.over >= over)) return true
  return ages.some(age => !age.answer && age.over <= over) ? false : null
}

function judgeWalletAge(input: JudgeInput, wallet: WalletFindings, over: number): Shown {
  const results = checkWallet(wallet)
  const status = sectionStatus(results.map(({ check }) => check.status))
  const device = judgeDevice(input)
  return {
    issues: [...results, ...device].flatMap(({ issues }) => issues),
    ruleResults: [
      ...results.map(found => ({ ...found, section: 'document' as const, effect: findEffect(found, status) })),
      ...device,
    ],
    isProven: status === 'PASSED',
    is_over: findAnswer(wallet, over),
    source: 'WALLET',
  }
}

/** Nothing of the person is compared with what others have shown, as nothing of them is kept. */
function judgeDocumentAge(input: JudgeInput, over: number): Shown {
  const { result_data, ruleResults, decision } = judge({
    ...input,
    expected_data: null,
    fraud_policy: defaultFraudPolicy,
  })
  const { date_of_birth = null, source = null } = result_data.document?.data ?? {}
  return {
    issues: result_data.issues,
    ruleResults,
    isProven: decision === 'APPROVED',
    is_over: date_of_birth === null ? null : hasReached(date_of_birth, over, input.today),
    source,
  }
}

function checkAge(is_over: boolean | null): RuleResult {
  if (is_over === null) return conclude('age', 'UNDETERMINED', [createIssue('AGE_NOT_EVALUABLE')])
  return is_over ? conclude('age', 'PASSED') : conclude('age', 'REJECTED', [createIssue('AGE_NOT_REACHED')])
}

/** Details that say nothing of the person. A score can be measured again by those who have the picture: it would name them. */
const plainDetails: readonly string[] = ['reasons', 'fields', 'source', 'evaluated_at']

function withoutScores({ details, ...issue }: Issue): Issue {
  const kept = Object.entries(details ?? {}).filter(([name]) => plainDetails.includes(name))
  return kept.length === 0 ? issue : { ...issue, details: Object.fromEntries(kept) }
}

/**
 * Judges whether a person is over an age: by what a wallet's issuer says of the age alone, else by a document, liveness and
 * the face. The result says nothing else of them.
 */
export function judgeAge(input: JudgeInput, { over }: AgePolicy): Judgement<AgeResultData> {
  const wallet = input.wallet ?? null
  const shown = wallet === null ? judgeDocumentAge(input, over) : judgeWalletAge(input, wallet, over)
  const age = checkAge(shown.is_over)
  const status = sectionStatus([age.check.status])
  const issues = orderIssues([...shown.issues, ...age.issues].map(withoutScores))
  const decision = decide(issues, [shown.isProven ? 'PASSED' : 'UNDETERMINED', status])
  const ruleResults = [
    ...shown.ruleResults,
    { ...age, section: 'document' as const, effect: findEffect(age, status) },
  ].map(found => ({
    ...found,
    check: { ...found.check, score: null, threshold: null, passes_when: null },
    issues: found.issues.map(withoutScores),
  }))
  return {
    result_data: {
      decision,
      issues,
      age: { over, is_over: shown.isProven ? shown.is_over : null, source: shown.source },
    },
    decision,
    template: null,
    ruleResults,
  }
}
