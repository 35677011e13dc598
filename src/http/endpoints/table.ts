import type { Endpoint } from '../endpoint.ts'
import * as captures from './captures.ts'
import * as charts from './charts.ts'
import * as customers from './customers.ts'
import * as erasures from './erasures.ts'
import * as evidence from './evidence.ts'
import { getFrontPage } from './front_page.ts'
import * as operation from './operation.ts'
import * as pages from './pages.ts'
import * as session from './session.ts'
import * as sessionCaptures from './session_captures.ts'
import * as testMode from './test_mode.ts'
import * as tokens from './tokens.ts'
import * as transactions from './transactions.ts'
import * as webhooks from './webhooks.ts'

/** Endpoints of every node. */
export const nodeEndpoints: readonly Endpoint[] = [
  webhooks.getKeys,
  evidence.getEvidenceKeys,
  tokens.getTokenMetadata,
  operation.getHealth,
  operation.getReadiness,
  operation.getMetrics,
  getFrontPage,
  pages.getDocument,
  pages.getPage,
  pages.getDocsPage,
  pages.getGuides,
  pages.getGuide,
  pages.getPageIndex,
  pages.getAsset,
  charts.listCharts,
  // Before `getChart`, whose path would match theirs.
  charts.getChartPicture,
  charts.getChartDiagram,
  charts.getChart,
]

/** Endpoints of a node with the role `api`. */
export const apiEndpoints: readonly Endpoint[] = [
  tokens.requestToken,
  customers.createCustomer,
  customers.listCustomers,
  customers.getCustomer,
  customers.changeCustomer,
  erasures.eraseCustomer,
  transactions.createTransaction,
  transactions.listTransactions,
  transactions.getTransaction,
  transactions.listEvents,
  transactions.cancelTransaction,
  erasures.eraseTransaction,
  captures.listCaptures,
  captures.createCaptureLink,
  captures.readCapture,
  evidence.getEvidence,
  erasures.getErasure,
  webhooks.listAllDeliveries,
  webhooks.redeliverAll,
  webhooks.listDeliveries,
  webhooks.redeliver,
  session.getSession,
  session.startSession,
  session.putSignals,
  session.changeDocument,
  sessionCaptures.putDocumentFront,
  sessionCaptures.putDocumentBack,
  sessionCaptures.putSelfie,
  sessionCaptures.issueChallenge,
  sessionCaptures.putFrame,
  sessionCaptures.dropCapture,
  session.completeSession,
  session.getResult,
  session.cancelSession,
  pages.getCapturePage,
  pages.getTransactionPage,
  pages.getCaptureScript,
  pages.getLogo,
  pages.getAccountLogo,
  testMode.advanceTestClock,
  testMode.walkTransaction,
  testMode.listen,
  testMode.reportAttempt,
]
