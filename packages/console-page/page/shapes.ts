import type * as chip from '../../../src/chip/console.ts'
import type * as settings from '../../../src/console/endpoints/account_settings.ts'
import type * as accounts from '../../../src/console/endpoints/accounts.ts'
import type * as customers from '../../../src/console/endpoints/customers.ts'
import type * as events from '../../../src/console/endpoints/events.ts'
import type * as search from '../../../src/console/endpoints/find_transactions.ts'
import type * as operation from '../../../src/console/endpoints/operation.ts'
import type * as operators from '../../../src/console/endpoints/operators.ts'
import type * as overviews from '../../../src/console/endpoints/overview.ts'
import type * as personal from '../../../src/console/endpoints/personal.ts'
import type * as sessions from '../../../src/console/endpoints/sessions.ts'
import type * as transactions from '../../../src/console/endpoints/transactions.ts'
import type { viewStep } from '../../../src/console/live.ts'

/** The reply of an endpoint of the console. */
type Reply<E extends { readonly handler: (...call: never) => unknown }> = Extract<
  Awaited<ReturnType<E['handler']>>,
  { readonly body: unknown }
>['body']

type Item<L extends { readonly data: readonly unknown[] }> = L['data'][number]

export type Account = Item<Reply<typeof accounts.listAccounts>>
export type AccountWithClients = Reply<typeof accounts.getAccount>
export type AccountSettings = Reply<typeof settings.getAccountSettings>
export type Tried = Reply<typeof settings.tryAccount>
export type ClientCredentials = Reply<typeof accounts.createClient>
export type Customer = Reply<typeof customers.getCustomerRecord>
export type Duplicate = TransactionRecord['duplicates'][number]
export type CustomerPersonalData = Reply<typeof personal.getCustomerPersonalData>
export type SigningKey = Item<Reply<typeof operation.listKeys>>
export type Origin = Item<Reply<typeof operation.listOrigins>>
export type OriginPage = Reply<typeof operation.getOrigin>
export type TrustAnchors = Reply<typeof chip.listTrustAnchors>
export type System = Reply<typeof operation.getSystem>

export type Overview = Reply<typeof overviews.getOverview>
export type MatchCounts = Reply<typeof search.countTransactions>

export type Explanation = TransactionRecord['explanation']
export type ExplainedRule = Explanation['rules'][number]

export type Me = Reply<typeof sessions.getMe>
export interface SignOn {
  readonly is_offered: boolean
}
export type Role = Me['role']
export type Session = Item<Reply<typeof sessions.listSessions>>
export type Operator = Item<Reply<typeof operators.listOperators>>
export type OperatorCredentials = Reply<typeof operators.createOperator>
export type AuditEntry = Item<Reply<typeof operators.listAudit>>
export type Proof = Reply<typeof operators.getProof>['proof']

export type FoundTransaction = Item<Reply<typeof search.findTransactions>>
export type TransactionRecord = Reply<typeof transactions.getTransaction>
export type Capture = TransactionRecord['captures'][number]
export type Delivery = TransactionRecord['deliveries'][number]
export type TimelineEvent = Item<Reply<typeof transactions.listTransactionEvents>>
export type PersonalData = Reply<typeof personal.getPersonalData>
export type TransactionReference = Item<Reply<typeof personal.listReferences>>
export type ExternalId = Item<Reply<typeof personal.listExternalIds>>
export type QueuedReview = Reply<typeof transactions.claimTransaction>
export type LiveStep = ReturnType<typeof viewStep>
export type Steps = Reply<typeof events.listSteps>

export interface Page<T> {
  readonly data: readonly T[]
  readonly next_cursor: string | null
}
