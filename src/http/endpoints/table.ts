import type { Endpoint } from '../endpoint.ts'
import { advanceTestClock } from './advance_test_clock.ts'
import { cancelSession } from './cancel_session.ts'
import { cancelTransaction } from './cancel_transaction.ts'
import { changeCustomer } from './change_customer.ts'
import { changeDocument } from './change_document.ts'
import { claimHandoff } from './claim_handoff.ts'
import { completeSession } from './complete_session.ts'
import { createCustomer } from './create_customer.ts'
import { createTransaction } from './create_transaction.ts'
import { dropCapture } from './drop_capture.ts'
import { eraseCustomer } from './erase_customer.ts'
import { eraseTransaction } from './erase_transaction.ts'
import { getAsset } from './get_asset.ts'
import { getCapturePage, getTransactionPage } from './get_capture_page.ts'
import { getCaptureScript } from './get_capture_script.ts'
import { getChart } from './get_chart.ts'
import { getChartDiagram } from './get_chart_diagram.ts'
import { getChartPicture } from './get_chart_picture.ts'
import { getCustomer } from './get_customer.ts'
import { getDocsPage } from './get_docs_page.ts'
import { getDocument } from './get_document.ts'
import { getErasure } from './get_erasure.ts'
import { getEvidence } from './get_evidence.ts'
import { getEvidenceKeys } from './get_evidence_keys.ts'
import { getHealth } from './get_health.ts'
import { getKeys } from './get_keys.ts'
import { getAccountLogo, getLogo } from './get_logo.ts'
import { getMetrics } from './get_metrics.ts'
import { getPage } from './get_page.ts'
import { getReadiness } from './get_readiness.ts'
import { getResult } from './get_result.ts'
import { getSession } from './get_session.ts'
import { getTokenMetadata } from './get_token_metadata.ts'
import { getTransaction } from './get_transaction.ts'
import { issueChallenge } from './issue_challenge.ts'
import { issueChipChallenge } from './issue_chip_challenge.ts'
import { createCaptureLink } from './link_capture.ts'
import { listAllDeliveries } from './list_all_deliveries.ts'
import { listCaptures } from './list_captures.ts'
import { listCharts } from './list_charts.ts'
import { listCustomers } from './list_customers.ts'
import { listDeliveries } from './list_deliveries.ts'
import { listDuplicates } from './list_duplicates.ts'
import { listEvents } from './list_events.ts'
import { listTransactions } from './list_transactions.ts'
import { listen } from './listen.ts'
import { offerHandoff } from './offer_handoff.ts'
import { putChip } from './put_chip.ts'
import { putDocumentBack, putDocumentFront } from './put_document.ts'
import { putFrame } from './put_frame.ts'
import { putSelfie } from './put_selfie.ts'
import { putSignals } from './put_signals.ts'
import { readCapture } from './read_capture.ts'
import { redeliver } from './redeliver.ts'
import { redeliverAll } from './redeliver_all.ts'
import { reportAttempt } from './report_attempt.ts'
import { requestToken } from './request_token.ts'
import { sendHandoff } from './send_handoff.ts'
import { startSession } from './start_session.ts'
import { walkTransaction } from './walk_transaction.ts'

/** Endpoints of every node. */
export const nodeEndpoints: readonly Endpoint[] = [
  getKeys,
  getEvidenceKeys,
  getTokenMetadata,
  getHealth,
  getReadiness,
  getMetrics,
  getDocument,
  getPage,
  getDocsPage,
  getAsset,
  listCharts,
  // Before `getChart`, whose path would match theirs.
  getChartPicture,
  getChartDiagram,
  getChart,
]

/** Endpoints of a node with the role `api`. */
export const apiEndpoints: readonly Endpoint[] = [
  requestToken,
  createCustomer,
  listCustomers,
  getCustomer,
  listDuplicates,
  changeCustomer,
  eraseCustomer,
  createTransaction,
  listTransactions,
  getTransaction,
  listEvents,
  cancelTransaction,
  eraseTransaction,
  listCaptures,
  createCaptureLink,
  readCapture,
  getEvidence,
  getErasure,
  listAllDeliveries,
  redeliverAll,
  listDeliveries,
  redeliver,
  getSession,
  startSession,
  putSignals,
  changeDocument,
  putDocumentFront,
  putDocumentBack,
  issueChipChallenge,
  putChip,
  putSelfie,
  issueChallenge,
  putFrame,
  dropCapture,
  completeSession,
  getResult,
  cancelSession,
  offerHandoff,
  claimHandoff,
  sendHandoff,
  getCapturePage,
  getTransactionPage,
  getCaptureScript,
  getLogo,
  getAccountLogo,
  advanceTestClock,
  walkTransaction,
  listen,
  reportAttempt,
]
