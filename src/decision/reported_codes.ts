import { type Finding, finding, type Judged } from './decision.ts'
import type { ReportedCode } from './findings.ts'
import { issueOf } from './issues.ts'

/** Codes that nobody has mapped may mean anything: they are told, and leave their section open. */
const unknownCodes = (reported: readonly ReportedCode[]): readonly Finding[] => {
  const codes = reported.filter(({ issue }) => issue === null).map(({ code }) => code)
  return codes.length === 0
    ? []
    : [finding('unknown_codes', 'UNDETERMINED', [issueOf('ENGINE_CODE_UNKNOWN', { codes })])]
}

const knownCodes = (reported: readonly ReportedCode[]): readonly Finding[] =>
  reported.flatMap(({ code, issue, status }) =>
    issue === null ? [] : [finding(`code ${code}`, status, [issueOf(issue)])],
  )

/** A judged section with what its engine reported in codes of its own: they can only make it worse. */
export const withReported = <Data>(
  judged: Judged<Data>,
  evidence: { readonly reported?: readonly ReportedCode[] } | null,
): Judged<Data> => {
  const codes = evidence?.reported ?? []
  const reported = [...knownCodes(codes), ...unknownCodes(codes)]
  const { status, data } = judged.section
  const worst = ['REJECTED', 'UNDETERMINED'] as const
  const found = worst.find(candidate => reported.some(({ check }) => check.status === candidate))
  const worse = found === 'REJECTED' || (found === 'UNDETERMINED' && status === 'PASSED') ? found : status
  return {
    section: { status: worse, data },
    issues: [...judged.issues, ...reported.flatMap(({ issues }) => issues)],
    findings: [...judged.findings, ...reported],
  }
}
