import type { DocumentFindings } from '@attestor/rules'
import { judgeDocument } from '@attestor/rules/testing'
import { today } from './people.ts'
import { type Truth, wrongFields } from './truth.ts'

/**
 * Compares a reading with the truth. Returns the checks and, for a developer, the status, the issues and the wrong
 * fields.
 */
export function judgedAgainst(truth: Truth, evidence: DocumentFindings) {
  const { section, issues } = judgeDocument(evidence, {}, today)
  const accepted = section.status === 'PASSED'
  const wrong = section.data === null ? [] : wrongFields(truth, section.data)
  const warned = issues.some(issue => issue.type === 'WARN' && issue.code === 'MRZ_CHARACTERS_CORRECTED')
  return {
    checks: {
      accepted,
      // A visa identifies nobody here, and is rejected for its type.
      rejected: truth.document_type === null ? null : section.status === 'REJECTED',
      wrong_but_accepted: accepted && wrong.length > 0,
      wrong_and_silent: accepted && wrong.length > 0 && !warned,
    },
    detail: {
      status: section.status,
      issues: issues.map(issue => issue.code),
      wrong: Object.fromEntries(wrong.map(field => [field, section.data?.[field] ?? null])),
    },
  }
}
