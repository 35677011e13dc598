import { conclude, type JudgedSection, type RuleResult } from './decision.ts'
import type { ReportedCode } from './findings.ts'
import { createIssue } from './issues.ts'

/** Unmapped codes may mean anything: they are reported and leave their section open. */
function judgeUnknownCodes(reported: readonly ReportedCode[]): readonly RuleResult[] {
  const codes = reported.filter(({ issue }) => issue === null).map(({ code }) => code)
  return codes.length === 0
    ? []
    : [conclude('unknown_codes', 'UNDETERMINED', [createIssue('ENGINE_CODE_UNKNOWN', { codes })])]
}

function judgeKnownCodes(reported: readonly ReportedCode[]): readonly RuleResult[] {
  return reported.flatMap(({ code, issue, status }) =>
    issue === null ? [] : [conclude(`code ${code}`, status, [createIssue(issue)])],
  )
}

/** Adds the codes that an engine reported. They can only make a section worse. */
export function applyReportedCodes<Data>(
  judged: JudgedSection<Data>,
  findings: { readonly reported?: readonly ReportedCode[] } | null,
): JudgedSection<Data> {
  const codes = findings?.reported ?? []
  const reported = [...judgeKnownCodes(codes), ...judgeUnknownCodes(codes)]
  const { status, data } = judged.section
  const worst = ['REJECTED', 'UNDETERMINED'] as const
  const found = worst.find(candidate => reported.some(({ check }) => check.status === candidate))
  const worse = found === 'REJECTED' || (found === 'UNDETERMINED' && status === 'PASSED') ? found : status
  return {
    section: { status: worse, data },
    issues: [...judged.issues, ...reported.flatMap(({ issues }) => issues)],
    results: [...judged.results, ...reported],
  }
}
