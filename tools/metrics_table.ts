import { describeMetrics } from '../src/node/metrics/metrics.ts'
import { code, table } from './tables.ts'

/** Every metric of a node with its labels and its meaning; `GET /metrics` itself says the types. */
export function metricsTable(): string {
  return table(
    ['Metric', 'Meaning'],
    describeMetrics().map(({ name, labels, help }) => [
      code(name),
      labels.length > 0 ? `${help}, by ${labels.map(code).join(', ')}` : help,
    ]),
  )
}
