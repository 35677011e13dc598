import type { Config } from '../config.ts'
import type { AnyActorDefinition } from '../durable/actors/definition.ts'
import type { Host } from '../durable/actors/host.ts'
import type { TransactionDefinition } from '../transactions/actor.ts'
import { createTransactionDefinition } from '../transactions/definition.ts'
import { createDeliveries, type DeliveryDefinition } from '../webhooks/delivery.ts'

/** Every type of actor, by itself and all together. */
export interface Definitions {
  readonly definition: TransactionDefinition
  readonly deliveryDefinition: DeliveryDefinition
  readonly definitions: readonly AnyActorDefinition[]
}

/** The actors of the service: transactions, and the deliveries that they queue. */
export const createDefinitions = (host: Host, config: Pick<Config, 'WEBHOOK_SCHEDULE_SECONDS'>): Definitions => {
  const deliveries = createDeliveries(host, config.WEBHOOK_SCHEDULE_SECONDS)
  const definition = createTransactionDefinition(deliveries.queue)
  const deliveryDefinition = deliveries.definition
  return { definition, deliveryDefinition, definitions: [definition, deliveryDefinition] }
}
