import type { z } from 'zod'
import type * as administration from '../shapes/administration.ts'
import type * as explained from '../shapes/explanation.ts'
import type * as operators from '../shapes/operator.ts'
import type * as overviews from '../shapes/overview.ts'
import type * as transactions from '../shapes/transaction.ts'

/** The responses of the console's API: the types of the schemas that the service checks its responses by. */
export type Account = z.output<typeof administration.account>
export type AccountWithClients = z.output<typeof administration.accountWithClients>
export type ClientCredentials = z.output<typeof administration.clientCredentials>
export type Customer = z.output<typeof administration.customer>
export type Duplicate = TransactionRecord['duplicates'][number]
export type CustomerPersonalData = z.output<typeof administration.customerPersonalData>
export type SigningKey = z.output<typeof administration.signingKey>
export type Origin = z.output<typeof administration.origin>
export type TrustAnchors = z.output<typeof administration.trustAnchors>
export type System = z.output<typeof administration.system>

export type Overview = z.output<typeof overviews.overview>
export type MatchCounts = z.output<typeof overviews.matchCounts>

export type Explanation = z.output<typeof explained.explanation>
export type ExplainedRule = z.output<typeof explained.explainedRule>

export type Me = z.output<typeof operators.me>
export type Role = Me['role']
export type Session = z.output<typeof operators.session>
export type Operator = z.output<typeof operators.operator>
export type OperatorCredentials = z.output<typeof operators.operatorCredentials>
export type AuditEntry = z.output<typeof operators.auditEntry>

export type FoundTransaction = z.output<typeof transactions.foundTransaction>
export type TransactionRecord = z.output<typeof transactions.transactionRecord>
export type Capture = z.output<typeof transactions.capture>
export type Delivery = z.output<typeof transactions.delivery>
export type TimelineEvent = z.output<typeof transactions.timelineEvent>
export type PersonalData = z.output<typeof transactions.personalData>
export type TransactionReference = z.output<typeof transactions.transactionReference>
export type LiveStep = z.output<typeof transactions.liveStep>
export type Steps = z.output<typeof transactions.steps>

export interface Page<T> {
  readonly data: readonly T[]
  readonly next_cursor: string | null
}
