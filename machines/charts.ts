import { captureChartVersion, captureMachine } from './capture.ts'
import { deliveryChartVersion, deliveryMachine } from './delivery.ts'
import { transactionChartVersion, transactionMachine } from './transaction.ts'

/**
 * Every durable chart by its name and version. A version stays here as long as any database may hold an actor of it,
 * which this build must be able to run.
 */
export const durableCharts = {
  transaction: { [transactionChartVersion]: transactionMachine },
  delivery: { [deliveryChartVersion]: deliveryMachine },
} as const

/**
 * Every chart of this build, including the one that a page runs in a browser and no database holds. These are drawn and
 * published.
 */
export const charts = {
  ...durableCharts,
  capture: { [captureChartVersion]: captureMachine },
} as const
