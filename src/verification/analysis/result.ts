import {
  type AgeResultData,
  createIssue,
  type Decision,
  type FaceTemplate,
  type Issue,
  orderIssues,
  type ResultData,
} from '@attestor/rules'
import type { Statement } from 'durable-xstate-sql'
import type { OwnColumns } from 'durable-xstate-sql/sql'
import type { TransactionContext } from '../../../machines/transaction.ts'
import { encryptJson } from '../../base/encryption.ts'
import { insert } from '../../database/schema.ts'
import type { TransactionActor } from '../transactions/actor.ts'
import { transactionAad } from '../transactions/rows.ts'

/** A transaction whose result is written, and its customer's key. */
export interface ResultOwner {
  readonly row: { readonly id: string; readonly account_id: string }
  readonly key: Uint8Array
}

function encryptResult({ row, key }: ResultOwner, result: ResultData | AgeResultData): Buffer {
  return encryptJson(key, transactionAad(row.id, 'result'), result)
}

/** The columns of a transaction's row that the commit of a result writes. */
type ResultColumns = Pick<OwnColumns<TransactionActor>, 'decision' | 'review_template'> & { readonly result: Buffer }

export function resultColumns(owner: ResultOwner, result: ResultData | AgeResultData): ResultColumns {
  return { result: encryptResult(owner, result), decision: result.decision }
}

/** Whether a person decides: the same condition as in the chart. */
export function isForReview({ limits }: TransactionContext, decision: Decision): boolean {
  return limits.review_ms !== null && decision === 'UNDETERMINED'
}

/**
 * Stored while a transaction waits for a reviewer: the result that it gets if nobody reviews it, and the face to enrol
 * if a reviewer approves it. Nothing is decided yet.
 */
export function reviewColumns(owner: ResultOwner, result: ResultData, template: FaceTemplate | null): ResultColumns {
  const { row, key } = owner
  const lapsed = { ...result, issues: orderIssues([...result.issues, createIssue('REVIEW_LAPSED')]) }
  const face = template === null ? null : encryptJson(key, transactionAad(row.id, 'review_template'), template)
  return { result: encryptResult(owner, lapsed), review_template: face }
}

/** Returns the result that a reviewer decides: the rules' own, except for the decision. */
export function reviewResult(result: ResultData, decision: Decision): ResultData {
  return {
    ...result,
    decision,
    issues: orderIssues([
      ...result.issues.filter(({ code }) => code !== 'REVIEW_LAPSED'),
      createIssue('REVIEWED_BY_PERSON'),
    ]),
  }
}

/** Adds a transaction to the lists of its issues. Without issues there is no statement. */
export function insertIssues({ id, account_id }: ResultOwner['row'], issues: readonly Issue[]): readonly Statement[] {
  const rows = issues.map(({ code }) => ({ code, transaction_id: id, account_id }))
  return rows.length === 0 ? [] : [insert('transaction_issues', ...rows)]
}
