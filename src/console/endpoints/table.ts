import type { Endpoint } from '../../http/endpoint.ts'
import type { SigningAlgorithm } from '../../identity/keys/sign.ts'
import type { SignOn } from '../../identity/operators/single_sign_on.ts'
import { createStreamLimit } from '../stream_limit.ts'
import * as settings from './account_settings.ts'
import * as accounts from './accounts.ts'
import * as customers from './customers.ts'
import * as erasures from './erasures.ts'
import * as events from './events.ts'
import * as search from './find_transactions.ts'
import * as operation from './operation.ts'
import * as operators from './operators.ts'
import * as overview from './overview.ts'
import * as page from './page.ts'
import * as personal from './personal.ts'
import * as sessions from './sessions.ts'
import { createSignOnEndpoints } from './sign_on.ts'
import * as transactions from './transactions.ts'

/** The console's own dependencies, beside those of every endpoint. */
export interface ConsoleDeps {
  /** Setting `WEBHOOK_ALGORITHM`. */
  readonly algorithm: SigningAlgorithm
  /** Gets the number of open streams of events whenever it changes. */
  readonly onStreams?: (open: number) => void
  /** The company's identity provider; null without one. */
  readonly signOn: SignOn | null
  /** The endpoints of features. */
  readonly ofFeatures: readonly Endpoint[]
}

/** Creates the endpoints that the console's page calls. */
export function createConsoleEndpoints({ algorithm, onStreams, signOn, ofFeatures }: ConsoleDeps): readonly Endpoint[] {
  return [
    sessions.logIn,
    ...createSignOnEndpoints(signOn),
    sessions.getMe,
    sessions.logOut,
    sessions.listSessions,
    sessions.revokeSession,
    overview.getOverview,
    search.findTransactions,
    search.countTransactions,
    personal.listReferences,
    personal.listExternalIds,
    transactions.getTransaction,
    transactions.listTransactionEvents,
    personal.getPersonalData,
    personal.getCapture,
    transactions.exportEvidence,
    transactions.cancelTransaction,
    transactions.reviewTransaction,
    transactions.claimTransaction,
    transactions.releaseTransaction,
    transactions.redeliverAsOperator,
    erasures.eraseTransaction,
    customers.findCustomers,
    customers.getCustomerRecord,
    personal.getCustomerPersonalData,
    erasures.eraseCustomer,
    accounts.listAccounts,
    accounts.getAccount,
    accounts.createAccount,
    accounts.changeAccount,
    settings.getAccountSettings,
    settings.changeSettings,
    settings.tryAccount,
    accounts.createClient,
    accounts.revokeClient,
    operation.listKeys,
    operation.createRotateKey(algorithm),
    events.createFollowEvents(createStreamLimit(onStreams)),
    events.listSteps,
    operation.listOrigins,
    operation.getOrigin,
    operation.pauseOrigin,
    operation.resumeOrigin,
    operation.getSystem,
    operators.listOperators,
    operators.createOperator,
    operators.resetOperator,
    operators.disableOperator,
    operators.listAudit,
    operators.getProof,
    operators.exportAuditLog,
    ...ofFeatures,
    // Last: the second's path holds all others.
    page.getConsole,
    page.getConsoleScreen,
  ]
}
