import { deliveryChartVersion, deliveryMachine } from './delivery.ts'
import { transactionChartVersion, transactionMachine } from './transaction.ts'

/**
 * Every chart by its name and version. A version stays here as long as any database may hold an actor of it: this build
 * steps these, draws them and publishes them.
 */
export const charts = {
  transaction: { [transactionChartVersion]: transactionMachine },
  delivery: { [deliveryChartVersion]: deliveryMachine },
} as const
