import { getIssueEntry, type IssueCode, issueCatalogue, type ReportedCode } from '@attestor/rules'
import { z } from 'zod'
import type { ReadCode } from './response.ts'

const sections: readonly string[] = ['document', 'liveness', 'face']

const issueCode = z.custom<IssueCode>(
  code =>
    typeof code === 'string' &&
    Object.hasOwn(issueCatalogue, code) &&
    sections.includes(getIssueEntry(code as IssueCode).section),
  'must be an issue of a document, of liveness or of a face',
)

const mapping = z.record(
  z.string().regex(/^[\w.:-]{1,64}$/),
  z.union([
    z.null(),
    issueCode,
    z.object({ issue: issueCode, status: z.enum(['PASSED', 'UNDETERMINED', 'REJECTED']) }).strict(),
  ]),
)

/** The issue that each code of the service raises, or null for a code to ignore. */
export type CodeMapping = Readonly<Record<string, Omit<ReportedCode, 'code'> | null>>

/** An issue of type REJECT always rejects its section; another leaves it open unless its status is PASSED. */
function parseMapping(issue: IssueCode, status: ReportedCode['status'] = 'UNDETERMINED'): CodeMapping[string] {
  const rejects = getIssueEntry(issue).types[0] === 'REJECT'
  if (!rejects && status === 'REJECTED')
    throw new Error(`${issue} does not reject: its status must be PASSED or UNDETERMINED`)
  return { issue, status: rejects ? 'REJECTED' : status }
}

/**
 * Reads a mapping: `{"THEIRS": "OURS"}`, `{"THEIRS": {"issue": "OURS", "status": "PASSED"}}`, `{"THEIRS": null}`.
 * Throws an Error that names the fault.
 */
export function readCodeMapping(json: string): CodeMapping {
  const parsed = mapping.safeParse(JSON.parse(json))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(`${issue?.path.join('.')}: ${issue?.message}`)
  }
  const read = (value: (typeof parsed.data)[string]): CodeMapping[string] => {
    if (value === null) return null
    return typeof value === 'string' ? parseMapping(value) : parseMapping(value.issue, value.status)
  }
  return Object.fromEntries(Object.entries(parsed.data).map(([code, value]) => [code, read(value)]))
}

/** A code without a mapping is unknown and never approves. */
export function createCodeReader(codes: CodeMapping): ReadCode {
  return code => {
    if (!Object.hasOwn(codes, code)) return { code, issue: null, status: 'UNDETERMINED' }
    const mapped = codes[code] ?? null
    return mapped === null ? null : { code, ...mapped }
  }
}
