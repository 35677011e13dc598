import type { Host } from 'durable-xstate-sql'
import type { AnyActorDefinition } from 'durable-xstate-sql/sql'
import { durableCharts } from '../../machines/charts.ts'
import type { Config } from '../config/settings.ts'
import type { TransactionDefinition } from '../verification/transactions/actor.ts'
import { createTransactionDefinition } from '../verification/transactions/definition.ts'
import { createDeliveries, type DeliveryDefinition } from '../webhooks/delivery.ts'
import type { BuildCharts, ChartVersions } from './chart_versions.ts'

/** Every type of actor, by itself and all together. */
export interface Definitions {
  readonly definition: TransactionDefinition
  readonly deliveryDefinition: DeliveryDefinition
  readonly definitions: readonly AnyActorDefinition[]
}

/** The actors of the service: transactions, and the deliveries that they queue. */
export function createDefinitions(
  host: Host,
  config: Pick<Config, 'WEBHOOK_SCHEDULE_SECONDS'>,
  versions: ChartVersions,
  charts: BuildCharts = durableCharts,
): Definitions {
  const deliveries = createDeliveries(host, config.WEBHOOK_SCHEDULE_SECONDS, {
    charts: charts.delivery,
    currentVersion: () => versions.of('delivery'),
  })
  const definition = createTransactionDefinition(host.dialect, deliveries, {
    charts: charts.transaction,
    currentVersion: () => versions.of('transaction'),
  })
  const deliveryDefinition = deliveries.definition
  return { definition, deliveryDefinition, definitions: [definition, deliveryDefinition] }
}
