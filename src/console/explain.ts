import {
  type Decision,
  type IssueCode,
  issueCatalogue,
  type Trace,
  type TracedIssue,
  type TracedRule,
} from '@attestor/rules'
import type { TransactionStatus } from '../../machines/transaction.ts'
import type { FailureTrace } from '../verification/transactions/failure.ts'

function isFoundBy(issue: TracedIssue, { section, rule }: TracedRule): boolean {
  return issue.section === section && issue.rule === rule
}

function toWords(name: string): string {
  return name.toLowerCase().replaceAll('_', ' ')
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Whether the score alone explains the rule's outcome: a rule may rest on several measurements. */
function isScoreDecisive({ score, threshold, passes_when, status, effect }: TracedRule): boolean {
  // A rule that only reports has always passed.
  if (score === null || threshold === null || (status === 'PASSED' && effect !== 'supports')) return true
  const passes = passes_when === 'at_most' ? score <= threshold : score >= threshold
  return passes === (status === 'PASSED')
}

function explainRule(rule: TracedRule, trace: Trace) {
  const issues = trace.issues.filter(issue => isFoundBy(issue, rule))
  return {
    section: rule.section,
    rule: rule.rule,
    status: rule.status,
    score: rule.score,
    threshold: rule.threshold,
    passes_when: rule.passes_when,
    engine: rule.engine === null ? null : { name: rule.engine.name, version: rule.engine.version },
    effect: rule.effect,
    score_decides: isScoreDecisive(rule),
    issues: issues.map(({ code }) => code),
  }
}

function findMessage(code: string): string {
  return issueCatalogue[code as IssueCode]?.message ?? code
}

function listReasons(codes: readonly string[]): string {
  return [...new Set(codes.map(code => findMessage(code)))]
    .map(text => text.charAt(0).toLowerCase() + text.slice(1))
    .join('; ')
}

type ExplainedRule = ReturnType<typeof explainRule>

function explainRules({ decision, issues }: Trace, rules: readonly ExplainedRule[]): string {
  const warnings = listReasons(issues.filter(({ type }) => type === 'WARN').map(({ code }) => code))
  if (decision === 'APPROVED')
    return `Approved: every rule that counts passed${warnings === '' ? '' : `. Warnings: ${warnings}`}.`
  const isRejection = decision === 'REJECTED'
  const counted = rules.filter(({ effect }) => effect === (isRejection ? 'rejects' : 'prevents_approval'))
  const ofType = issues.filter(({ type }) => !isRejection || type === 'REJECT').map(({ code }) => code)
  const codes = counted.flatMap(rule => rule.issues).filter(code => ofType.some(known => known === code))
  const without = counted
    .filter(rule => rule.issues.length === 0)
    .map(({ section, rule }) => `${section} ${toWords(rule)}`)
  const reasons = [listReasons(codes), ...without].filter(reason => reason !== '').join('; ')
  return `${isRejection ? 'Rejected' : 'Undetermined'}: ${reasons === '' ? 'a section that is required was not evaluated' : reasons}.`
}

/** The end of a review, if there was one. */
interface ReviewOutcome {
  readonly decision: Decision | null
  readonly operator_name: string | null
}

const openSentences: Readonly<Partial<Record<TransactionStatus, string>>> = {
  CREATED: 'Not decided: the person has not begun.',
  INITIATED: 'Not decided: the person has not finished.',
  COMPLETED: 'Not decided: it waits for its analysis.',
  PROCESSING: 'Not decided: it is being analysed.',
  EXPIRED: 'Not decided: the person did not finish in time.',
}

export interface ExplainInput {
  readonly status: TransactionStatus
  readonly is_erased: boolean
  readonly awaiting_review: boolean
  readonly trace: { readonly trace: Trace; readonly pinned: boolean } | null
  readonly failure: FailureTrace | null
  /** Null where neither a reviewer nor the deadline of a review decided. */
  readonly review: ReviewOutcome | null
}

function decidedBy({ status, review }: ExplainInput): 'rules' | 'operator' | 'deadline' | null {
  if (status !== 'FINISHED') return null
  if (review === null) return 'rules'
  return review.operator_name === null ? 'deadline' : 'operator'
}

function createSentence(input: ExplainInput, rules: readonly ExplainedRule[]): string {
  const { status, is_erased, trace, failure, review, awaiting_review } = input
  if (failure !== null) return `Failed: ${listReasons([failure.failure])}.`
  if (is_erased) return 'Erased: why it was decided so is gone.'
  if (trace === null) return openSentences[status] ?? 'Not decided.'
  const found = explainRules(trace.trace, rules)
  if (awaiting_review) return `${found} It awaits review.`
  if (review === null) return found
  if (review.operator_name === null) return `${found} Nobody reviewed it in time.`
  return `${capitalize((review.decision ?? '').toLowerCase())} by ${review.operator_name}. The rules had left it open. ${found}`
}

/** Why a transaction was decided as it was, in words. Nothing in it is personal. */
export function explain(input: ExplainInput) {
  const { trace: stored, failure } = input
  const trace = stored?.trace ?? null
  const rules = trace === null ? [] : trace.rules.map(rule => explainRule(rule, trace))
  const codes = [...new Set(trace?.issues.map(({ code }) => code) ?? [])]
  return {
    sentence: createSentence(input, rules),
    decided_by: decidedBy(input),
    rules_decision: trace?.decision ?? null,
    rules,
    issues: codes.map(code => ({
      type: trace?.issues.find(issue => issue.code === code)?.type ?? 'INFO',
      code,
      message: findMessage(code),
      rules: trace?.issues.filter(issue => issue.code === code).map(({ rule }) => rule) ?? [],
    })),
    age: trace?.age ?? null,
    wallet: trace?.wallet ?? null,
    // False: the trace is not the one that the journal names. Null: nothing was decided by rules.
    trace_is_pinned: stored?.pinned ?? null,
    failure:
      failure === null
        ? null
        : {
            code: failure.failure,
            attempts: failure.attempts.map(({ attempt, failed_at, code, stage }) => ({
              attempt,
              failed_at,
              code,
              stage,
            })),
          },
  }
}
