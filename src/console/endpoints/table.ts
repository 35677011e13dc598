import type { Endpoint } from '../../http/endpoint.ts'
import type { SigningAlgorithm } from '../../identity/keys/sign.ts'
import { createStreamLimit } from '../stream_limit.ts'
import { changeAccount, createAccount, createClient, getAccount, listAccounts, revokeClient } from './accounts.ts'
import { findCustomers, getCustomerRecord, listDuplicatesAsOperator } from './customers.ts'
import { eraseCustomer, eraseTransaction } from './erasures.ts'
import { createFollowEvents, listSteps } from './events.ts'
import { countTransactions, findTransactions } from './find_transactions.ts'
import {
  createRotateKey,
  getSystem,
  listKeys,
  listOrigins,
  listTrustAnchors,
  pauseOrigin,
  resumeOrigin,
} from './operation.ts'
import {
  createOperator,
  disableOperator,
  exportAuditLog,
  getProof,
  listAudit,
  listOperators,
  resetOperator,
} from './operators.ts'
import { getOverview } from './overview.ts'
import { getConsole, getConsoleScreen } from './page.ts'
import { getCapture, getCustomerPersonalData, getPersonalData, listReferences } from './personal.ts'
import { getMe, listSessions, logIn, logOut, revokeSession } from './sessions.ts'
import {
  cancelTransaction,
  exportEvidence,
  getTransaction,
  listTransactionEvents,
  redeliverAsOperator,
  reviewTransaction,
} from './transactions.ts'

/** What the console works with, beside what every endpoint has. */
export interface ConsoleDeps {
  /** Setting `WEBHOOK_ALGORITHM`. */
  readonly algorithm: SigningAlgorithm
  /** Gets the number of open streams of events whenever it changes. */
  readonly onStreams?: (open: number) => void
}

/** What the console's page calls. */
export function createConsoleEndpoints({ algorithm, onStreams }: ConsoleDeps): readonly Endpoint[] {
  return [
    logIn,
    getMe,
    logOut,
    listSessions,
    revokeSession,
    getOverview,
    findTransactions,
    countTransactions,
    listReferences,
    getTransaction,
    listTransactionEvents,
    getPersonalData,
    getCapture,
    exportEvidence,
    cancelTransaction,
    reviewTransaction,
    redeliverAsOperator,
    eraseTransaction,
    findCustomers,
    getCustomerRecord,
    listDuplicatesAsOperator,
    getCustomerPersonalData,
    eraseCustomer,
    listAccounts,
    getAccount,
    createAccount,
    changeAccount,
    createClient,
    revokeClient,
    listKeys,
    createRotateKey(algorithm),
    listTrustAnchors,
    createFollowEvents(createStreamLimit(onStreams)),
    listSteps,
    listOrigins,
    pauseOrigin,
    resumeOrigin,
    getSystem,
    listOperators,
    createOperator,
    resetOperator,
    disableOperator,
    listAudit,
    getProof,
    exportAuditLog,
    // Last: the second's path holds all others.
    getConsole,
    getConsoleScreen,
  ]
}
